"""Writes what texture_harness.py measured of texture_cases.py and texture_sweep.py as the golden files.
Usage: texture_pack.py RESULTS FOLDER: RESULTS/texture_{cases,sweep}.{npz,json} become FOLDER/texture.{json,data,outputs}.zst and FOLDER/sweep.json.zst"""
import hashlib, json, os, struct, subprocess, sys
import numpy as np
here = os.path.dirname(os.path.abspath(__file__)); sys.path.insert(0, here)
import texture_cases, texture_sweep, texture_harness as harness

class Blobs:
    """Bytes one after another, every distinct piece once."""
    def __init__(self): self.bytes, self.known = bytearray(), {}
    def put(self, b):
        b = bytes(b); key = hashlib.sha256(b).digest()
        if key not in self.known:
            self.bytes += bytes(-len(self.bytes) % 4); self.known[key] = [len(self.bytes), len(b)]; self.bytes += b
        return self.known[key]
def number(v):
    """The bits of an f32; whole numbers are bits already."""
    return int(v) & 0xffffffff if isinstance(v, (int, np.integer)) else struct.unpack("<I", struct.pack("<f", v))[0]
def measured(results, name):
    return np.load(os.path.join(results, name + ".npz")), {r["name"]: r for r in json.load(open(os.path.join(results, name + ".json")))}
def described(x, data):
    """What a case and a sweep have in common."""
    r, s, v = {"levels": 0, "pitch": 0} | x["resource"], x["sampler"], x["view"]; levels = x["data"] if r["kind"] == "mipmapped" else [x["data"]]
    if r["flags"] & 0x40 or "texel_seed" in x: levels = []
    def texels(d, k): return harness.as_bytes(d).tobytes()[:None if r["kind"] in ("linear", "pitch2d") else harness.level_bytes(r, k)]
    return {"name": x["name"], "group": x["group"], "resource": r, "view": v and {k: v.get(k, 0) for k in ("format", "width", "height", "depth", "firstMip", "lastMip", "firstLayer", "lastLayer")},
            "texels": [data.put(texels(d, k)) for k, d in enumerate(levels)],
            "sampler": {"address": s["address"], "filter": s["filter"], "mip_filter": s["mip_filter"], "flags": s["flags"], "anisotropy": s["anisotropy"], "bias": number(s["bias"]), "min": number(s["min"]), "max": number(s["max"]), "border": [number(v) for v in s["border"]]},
            "code": x["code"], "outs": x["outputs"], "pred": bool(x["pred"])}
def packed_cases(results, data, outputs):
    got, index = measured(results, "texture_cases")
    for x in texture_cases.experiments():
        name = x["name"]; said = index[name]; i = harness.inputs_of(x)
        if "unequal" in said or said.get("error") not in (None, "cuCtxSynchronize"): print("left out:", said); continue
        one = described(x, data) | {"threads": i.shape[0], "ins": i.shape[1], "inputs": data.put(np.ascontiguousarray(i.T).tobytes())}
        if "error" in said: yield one | {"fault": said["result"], "outputs": None, "dump": None}; continue
        o = got[name]; b = np.ascontiguousarray(o[:, :x["outputs"]].T).tobytes()
        if x["pred"]: b += o[:, x["outputs"]].astype(np.uint8).tobytes()
        yield one | {"fault": None, "outputs": outputs.put(b), "dump": outputs.put(got[name + "/dump"].tobytes()) if x["dump"] else None}
def packed_sweeps(results, data):
    got, index = measured(results, "texture_sweep")
    for x in texture_sweep.experiments():
        said = index[x["name"]]
        if "unequal" in said or "error" in said: print("left out:", said); continue
        yield described(x, data) | {"threads": texture_sweep.THREADS, "ins": x["ins"], "columns": x["columns"], "texel_seed": x.get("texel_seed"), "stored": bool(x.get("stored")), "block": texture_sweep.BLOCK_THREADS, "hashes": [int(h) for h in got[x["name"]]]}
def main(results, folder):
    data, outputs = Blobs(), Blobs(); about = {"gpu": "NVIDIA H200", "driver": "580.159.04", "ptx": "9.0", "target": "sm_90a"}
    cases, sweeps = list(packed_cases(results, data, outputs)), list(packed_sweeps(results, data)); os.makedirs(folder, exist_ok=True)
    def text(v): return json.dumps(about | {"cases": v}, separators=(",", ":")).encode()
    for name, b in (("texture.json", text(cases)), ("sweep.json", text(sweeps)), ("texture.data", data.bytes), ("texture.outputs", outputs.bytes)):
        path = os.path.join(folder, name); open(path, "wb").write(b); subprocess.run(["zstd", "-19", "--long=27", "-q", "-f", "--rm", path, "-o", path + ".zst"], check=True); print(name, len(b), os.path.getsize(path + ".zst"))
    print(len(cases), "cases,", len(sweeps), "sweeps")
if __name__ == "__main__": main(*sys.argv[1:])
