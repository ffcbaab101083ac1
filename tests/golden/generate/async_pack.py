"""Writes the measured cases into tests/golden/async: `pack CASES ANSWERS… FOLDER`; later answers replace earlier ones."""
import base64, gzip, json, os, subprocess, sys, zlib
GROUPS = ['tma_store', 'tma_reduce', 'tma_multicast', 'tensormap_replace', 'tensormap_load', 'bulk', 'dsmem', 'mbarrier', 'faults']
HEAD = {'gpu': 'NVIDIA H200', 'driver': '580.159.04', 'ptx': '9.0', 'target': 'sm_90a'}
# What depends on the allocator's neighbours rather than on the machine.
LEFT_OUT = {'global to shared, past the end of global', 'tile interleave 2 13'}

def zstd(path, raw): subprocess.run(['zstd', '-q', '-19', '-f', '-o', path], input=raw, check=True)
def main(cases, answers, folder):
    d = json.load(gzip.open(cases)); got = {}
    for a in answers: got |= json.load(gzip.open(a))
    os.makedirs(folder, exist_ok=True)
    for g in GROUPS:
        kernels = {}; inputs = {}; rows = []; blob = b''; dropped = {}
        for c in [c for p in d['phases'] for c in p['cases'] if c['group'] == g]:
            r = got.get(f"case/{g}/{c['name']}"); why = None
            if r is None: why = 'not run'
            elif c['name'] in LEFT_OUT: why = 'allocator'
            elif 'ok' in r and 'encode' in r['ok']: why = 'not encoded'
            elif 'ok' in r and not r['ok']['stable']: why = 'unstable'
            elif 'ok' not in r and not r.get('error', '').startswith('sync: '): why = str(r)
            if why: dropped[why] = dropped.get(why, 0) + 1; continue
            args = []
            for k, a in enumerate(c['args']):
                a = dict(a)
                if 'hex' in a: inputs[a['input']] = a.pop('hex')
                if 'encoded' in a and 'ok' in r: a['bytes'] = r['ok']['encoded'][str(k)]
                args.append(a)
            row = {k: v for k, v in c.items() if k not in ('group', 'arranged', 'kernel', 'args')} | {'kernel': kernels.setdefault(c['kernel'], len(kernels)), 'args': args}
            if 'ok' in r:
                row['outputs'] = []
                for k, v in r['ok']['out'].items():
                    raw = zlib.decompress(base64.b64decode(v)); row['outputs'].append({'arg': int(k), 'offset': len(blob), 'length': len(raw)}); blob += raw
            else: row['fault'] = int(r['error'].split()[1])
            rows.append(row)
        zstd(f'{folder}/{g}.json.zst', json.dumps(HEAD | {'inputs': inputs, 'kernels': list(kernels), 'cases': rows}).encode()); zstd(f'{folder}/{g}.outputs.zst', blob)
        print(g, len(rows), 'cases,', sum('fault' in r for r in rows), 'faults,', len(kernels), 'kernels, dropped', dropped, os.path.getsize(f'{folder}/{g}.json.zst'), os.path.getsize(f'{folder}/{g}.outputs.zst'))
    rows = []; e = d['encodings']
    for i in range(0, len(e), 100): rows += [m | {'result': r, 'map': raw} if r == 0 else m | {'result': r} for m, (r, raw) in zip(e[i:i + 100], got[f'encodings/{i}']['ok'])]
    zstd(f'{folder}/tensormap.json.zst', json.dumps(HEAD | {'cases': rows}).encode())
    print('tensormap', len(rows), sum(r['result'] == 0 for r in rows), os.path.getsize(f'{folder}/tensormap.json.zst'))
if __name__ == '__main__': main(sys.argv[1], sys.argv[2:-1], sys.argv[-1])
