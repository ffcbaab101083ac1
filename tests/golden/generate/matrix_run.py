"""Measures FOLDER/NAME.json with FOLDER/NAME.inputs on the GPU, twice, and writes OUT/NAME.outputs. Usage: matrix_run.py FOLDER OUT NAME…

The kernels are assembled by the machine's own ptxas (CUDA 13.0), many at a time. A case that gives other bits the second time is named."""
import hashlib, json, os, shutil, subprocess, sys, tempfile
from concurrent.futures import ThreadPoolExecutor
import numpy as np
import cu
import matrix_forms as F

PTXAS = os.environ.get('PTXAS') or shutil.which('ptxas') or '/usr/local/cuda/bin/ptxas'
W = {'b32': 4, 'b64': 8}

def assemble(texts):
    """The cubins of PTX texts, in order."""
    folder = tempfile.mkdtemp()
    def one(x):
        i, t = x; p = f'{folder}/{i}'
        open(p + '.ptx', 'w').write(t); r = subprocess.run([PTXAS, '-arch', 'sm_90a', p + '.ptx', '-o', p + '.cubin'], capture_output=True, text=True)
        if r.returncode: raise SystemExit(f'ptxas: {r.stderr[:2000]}')
        return open(p + '.cubin', 'rb').read()
    with ThreadPoolExecutor(os.cpu_count()) as e: return list(e.map(one, enumerate(texts)))

def warp_level(folder, out, name):
    j = json.load(open(f'{folder}/{name}.json')); data = open(f'{folder}/{name}.inputs', 'rb').read(); 
    faults = {}; done = f'{out}/{name}.faults'
    if os.path.exists(done): faults = json.load(open(done))
    result = bytearray(); odd = []
    groups = [j['cases'][i:i + 24] for i in range(0, len(j['cases']), 24)]
    images = assemble([F.HEAD + ''.join(F.kernel(c, f'k{i}', c['n']) for i, c in enumerate(g)) for g in groups])
    big = max(c['n'] * 8 * max(len(c['ins']), len(c['outs'])) for c in j['cases']); di, do = cu.Buf(big), cu.Buf(big)
    for g, image in zip(groups, images):
        m = cu.Mod(image)
        for i, c in enumerate(g):
            if c['name'] in faults: result += bytes(c['n'] * sum(W[t] for t in c['outs'])); continue
            n = c['n']; s = j['inputs'][c['inputs']]; at = s['offset']; slots = np.zeros((len(s['types']), n), np.uint64)
            for k, t in enumerate(s['types']): slots[k] = np.frombuffer(data, f'<u{W[t]}', n, at); at += n * W[t]
            di.put(slots); f = m.fn(f'k{i}'); seen = []
            for turn in range(2):
                do.fill(0xCD if turn else 0xAB); cu.launch(f, (n // c['block'],), (c['block'],), (di, do))
                try: cu.sync()
                except RuntimeError as e:
                    # The context is lost with the case: note the fault and begin anew without it.
                    json.dump(faults | {c['name']: str(e)}, open(done, 'w')); os.execv(sys.executable, [sys.executable] + sys.argv)
                r = do.get(np.uint64, len(c['outs']) * n * 8).reshape(len(c['outs']), n)
                seen.append(b''.join((r[k] if W[t] == 8 else (r[k] & np.uint64(0xffffffff))).astype(f'<u{W[t]}').tobytes() for k, t in enumerate(c['outs'])))
            if seen[0] != seen[1]: odd.append(c['name'])
            assert len(result) == c['offset']; result += seen[0]
        m.unload()
    open(f'{out}/{name}.outputs', 'wb').write(result); print(name, len(j['cases']), 'cases', len(result), 'bytes, not the same twice:', odd, 'faults:', faults, flush=True)

def warpgroups(folder, out, name):
    j = json.load(open(f'{folder}/{name}.json')); data = open(f'{folder}/{name}.inputs', 'rb').read(); result = bytearray(); odd = []
    starts = np.concatenate([[0], np.cumsum(j['input_bytes'])]); texts = sorted({c['ptx'] for c in j['cases']}); images = dict(zip(texts, assemble(texts)))
    di, do = cu.Buf(max(j['input_bytes'])), cu.Buf(65536)
    for c in j['cases']:
        m = cu.Mod(images[c['ptx']]); i = c['input']; di.put(np.frombuffer(data[starts[i]:starts[i + 1]], np.uint8)); f = m.fn('w'); seen = []
        for turn in range(2):
            do.fill(0xCD if turn else 0xAB); cu.launch(f, (1,), (128,), (di, do)); cu.sync(); seen.append(do.get(np.uint8, c['length']).tobytes())
        if seen[0] != seen[1]: odd.append(c['name'])
        result += seen[0]; m.unload()
    open(f'{out}/{name}.outputs', 'wb').write(result); print(name, len(j['cases']), 'cases', len(result), 'bytes, not the same twice:', odd, flush=True)

if __name__ == '__main__':
    cu.init()
    for name in sys.argv[3:]: (warpgroups if name.startswith('wgmma') else warp_level)(sys.argv[1], sys.argv[2], name)
