"""Writes what texture_harness.py measured of texture_cases.py as the golden files.
Usage: texture_pack.py RESULTS FOLDER: RESULTS/texture_cases.npz and .json become FOLDER/texture.{json,data,outputs}.zst"""
import hashlib, json, os, struct, subprocess, sys
import numpy as np
here = os.path.dirname(os.path.abspath(__file__)); sys.path.insert(0, here)
import texture_cases, texture_harness as harness

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
def main(results, folder):
    got = np.load(os.path.join(results, "texture_cases.npz")); index = {r["name"]: r for r in json.load(open(os.path.join(results, "texture_cases.json")))}
    data, outputs, cases, left_out = Blobs(), Blobs(), [], []
    for x in texture_cases.experiments():
        name, r, s = x["name"], x["resource"], x["sampler"]; said = index[name]
        if "unequal" in said or said.get("error") not in (None, "cuCtxSynchronize"): left_out.append((name, said)); continue
        r = {"levels": 0, "pitch": 0} | r; levels = x["data"] if r["kind"] == "mipmapped" else [x["data"]]; i = harness.inputs_of(x)
        if r["flags"] & 0x40: levels = []
        one = {"name": name, "group": x["group"], "resource": r, "view": x["view"] and {k: x["view"].get(k, 0) for k in ("format", "width", "height", "depth", "firstMip", "lastMip", "firstLayer", "lastLayer")},
               "texels": [data.put(harness.as_bytes(d)[:harness.level_bytes(r, k)].tobytes() if r["kind"] not in ("linear", "pitch2d") else harness.as_bytes(d).tobytes()) for k, d in enumerate(levels)],
               "sampler": {"address": s["address"], "filter": s["filter"], "mip_filter": s["mip_filter"], "flags": s["flags"], "anisotropy": s["anisotropy"], "bias": number(s["bias"]), "min": number(s["min"]), "max": number(s["max"]), "border": [number(v) for v in s["border"]]},
               "code": x["code"], "threads": i.shape[0], "ins": i.shape[1], "outs": x["outputs"], "pred": bool(x["pred"]), "inputs": data.put(np.ascontiguousarray(i.T).tobytes())}
        if "error" in said: one |= {"fault": said["result"], "outputs": [0, 0], "dump": None}
        else:
            o = got[name]; b = np.ascontiguousarray(o[:, :x["outputs"]].T).tobytes()
            if x["pred"]: b += o[:, x["outputs"]].astype(np.uint8).tobytes()
            one |= {"fault": None, "outputs": outputs.put(b), "dump": outputs.put(got[name + "/dump"].tobytes()) if x["dump"] else None}
        cases.append(one)
    os.makedirs(folder, exist_ok=True)
    for part, b in (("json", json.dumps({"gpu": "NVIDIA H200", "driver": "580.159.04", "ptx": "9.0", "target": "sm_90a", "cases": cases}, separators=(",", ":")).encode()), ("data", data.bytes), ("outputs", outputs.bytes)):
        path = os.path.join(folder, "texture." + part); open(path, "wb").write(b); subprocess.run(["zstd", "-19", "--long=27", "-q", "-f", "--rm", path, "-o", path + ".zst"], check=True); print(part, len(b), os.path.getsize(path + ".zst"))
    print(len(cases), "cases;", len(left_out), "left out:", [(n, s.get("error"), s.get("result"), s.get("unequal")) for n, s in left_out][:12])
if __name__ == "__main__": main(*sys.argv[1:])
