"""Random whole programs (whole_program.py) and what an H200 makes of them: tests/golden/whole.*.

    whole.py write FOLDER FIRST END     the programs as NAME.ptx, NAME.in (their input) and NAME.json (their launch)
    whole.py check PTXVM FIRST END      runs each with both engines and another order: all must give the same bytes
    whole.py measure OUT FIRST END      on a GPU machine with ptxas and cu.py beside it
    whole.py pack OUT ...               writes the golden files of what was measured (needs the command zstd)

A program is assembled with `ptxas -O0`, run twice and must agree with itself, and is run once more assembled with `-O3`."""
import concurrent.futures, hashlib, json, math, os, re, struct, subprocess, sys, tempfile
from whole_program import IN, OUT, TAIL, mix, program, word

HERE = os.path.dirname(os.path.abspath(__file__))
LEVELS = ['-O0', '-O3']
FILE = 15 << 20                     # the most bytes of one file of outputs

def case(seed):
    """Text, grid, CTA, number of threads and input of a program."""
    text, grid, block = program(seed); n = math.prod(grid) * math.prod(block)
    return text, grid, block, n, b''.join(struct.pack('<I', word(seed, i)) for i in range(n * IN))

def write(folder, seed):
    text, grid, block, n, data = case(seed); os.makedirs(folder, exist_ok=True); path = os.path.join(folder, str(seed))
    open(path + '.ptx', 'w').write(text); open(path + '.in', 'wb').write(data); json.dump({'grid': grid, 'block': block, 'n': n}, open(path + '.json', 'w'))
    return path

def ptxvm(command, path, options):
    """What a run of ptxvm leaves in `out`, or what it says."""
    how = json.load(open(path + '.json')); n = how['n']; commas = lambda l: ','.join(map(str, l)); to = f'{path}{"".join(options)}.out'
    r = subprocess.run([command, 'run', path + '.ptx', '--quiet', '--grid', commas(how['grid']), '--block', commas(how['block']), '--arg', f'u32[{(n + TAIL) * OUT}]',
                        '--arg', f'u32[{n * IN}]=@{path}.in', '--arg', str(n), '--save', f'out={to}', '--timeout', '60s'] + options, capture_output=True, text=True)
    return open(to, 'rb').read() if r.returncode == 0 else f'status {r.returncode}: {r.stderr}'

def check(command, first, end):
    wrong = 0
    with tempfile.TemporaryDirectory() as folder:
        for seed in range(first, end):
            path = write(folder, seed); kinds = [['--engine', 'interpret'], ['--seed', '1'], ['--engine', 'compile']]
            got = [ptxvm(command, path, k) for k in kinds]
            for k, g in zip(kinds, got):
                if isinstance(g, str): print(seed, *k, g, flush=True)
                elif g != got[0]: print(seed, *k, 'differs', flush=True)
            wrong += any(g != got[0] or isinstance(g, str) for g in got)
            for f in os.listdir(folder): os.remove(os.path.join(folder, f))
    print(first, end, wrong, 'programs disagree'); return wrong

def assemble(job):
    """A cubin of program `seed`, or why there is none."""
    folder, seed, level = job; path = os.path.join(folder, str(seed))
    if level == LEVELS[0]: write(folder, seed)
    r = subprocess.run(['ptxas', level, '-arch=sm_90a', '-o', path + level, path + '.ptx'], capture_output=True, text=True)
    return None if r.returncode == 0 else (r.stderr or r.stdout)[:400]

def launch(cu, folder, seed, level):
    import numpy as np
    path = os.path.join(folder, str(seed)); how = json.load(open(path + '.json'))
    m = cu.Mod(open(path + level, 'rb').read()); out = cu.Buf((how['n'] + TAIL) * OUT * 4).fill(0); data = cu.Buf(how['n'] * IN * 4).put(np.fromfile(path + '.in', np.uint8))
    cu.launch(m.fn('k'), how['grid'], how['block'], [out, data, np.uint32(how['n'])]); cu.sync()
    got = out.get().tobytes(); out.free(); data.free(); m.unload(); return got

def measure(to, first, end):
    import cu
    os.makedirs(to, exist_ok=True); folder = tempfile.mkdtemp(); seeds = list(range(first, end))
    with concurrent.futures.ProcessPoolExecutor() as pool:
        said = {l: list(pool.map(assemble, [(folder, s, l) for s in seeds], chunksize=8)) for l in LEVELS}
    refused = {s: w for s, *ws in zip(seeds, *said.values()) for w in ws if w}
    print(len(refused), 'refused', json.dumps(dict(list(refused.items())[:40]), indent=1), flush=True)
    cu.init(); found, parts, unstable, differ = [], [bytearray()], [], []
    for s in (s for s in seeds if s not in refused):
        try: a, b, c = (launch(cu, folder, s, l) for l in [LEVELS[0], LEVELS[0], LEVELS[1]])
        except RuntimeError as e: print(s, e, flush=True); break      # the context is lost: go on behind it with another call
        if a != b: unstable.append(s); continue
        if a != c: differ.append(s)
        if len(parts[-1]) + len(a) > FILE: parts.append(bytearray())
        found.append({'seed': s, 'text': hashlib.sha256(open(f'{folder}/{s}.ptx', 'rb').read()).hexdigest()[:16], 'part': len(parts) - 1, 'offset': len(parts[-1]), 'length': len(a)}); parts[-1] += a
    for i, p in enumerate(parts): open(f'{to}/outputs.{i}', 'wb').write(p)
    json.dump({'programs': found, 'unstable': unstable, 'optimised': differ, 'refused': sorted(refused)}, open(f'{to}/whole.json', 'w'))
    print(len(found), 'measured,', len(unstable), 'unstable', unstable[:20], ',', len(differ), 'other bytes with -O3', differ[:40])

def hashes(out):
    """One u32 for each column of each 32 rows: sums of mix(word xor mix(row))."""
    words = struct.unpack(f'<{len(out) // 4}I', out); rows = len(words) // OUT; got = []
    for top in range(0, rows, 32):
        for c in range(OUT): got.append(sum(mix(words[r * OUT + c] ^ mix(r)) for r in range(top, min(top + 32, rows))) & 0xffffffff)
    return got

def spoilt(text):
    """Whether ptxas 13.0 makes other code of a program than its text says: of a guarded `set` with a float or 16-bit result or
    operand it leaves the last step without the guard, and of a guarded `testp` all."""
    return re.search(r'@!?%\w+ (set|testp)\.', text)

def pack(folders):
    """Packs what was measured into each of the folders."""
    golden = os.path.join(HERE, '..'); cases, texts, data, differ, left = [], bytearray(), bytearray(), [], []
    for folder in folders:
        all = json.load(open(folder + '/whole.json')); parts = [open(f'{folder}/{f}', 'rb').read() for f in sorted(os.listdir(folder)) if f.startswith('outputs')]
        for p in all['programs']:
            text, grid, block, n, _ = case(p['seed'])
            if spoilt(text): left.append(p['seed']); continue
            if p['seed'] in all['optimised']: differ.append(p['seed'])
            text = text.encode(); assert hashlib.sha256(text).hexdigest()[:16] == p['text']
            h = hashes(parts[p['part']][p['offset']:p['offset'] + p['length']])
            cases.append({'seed': p['seed'], 'grid': grid, 'block': block, 'n': n, 'program': [len(texts), len(text)], 'hashes': [len(data), len(h)]})
            texts += text; data += struct.pack(f'<{len(h)}I', *h)
    head = {'gpu': 'NVIDIA H200', 'driver': '580.159.04', 'ptxas': '13.0 -O0', 'in': IN, 'out': OUT, 'tail': TAIL, 'optimised': differ, 'spoilt': left, 'cases': cases}
    for name, b in [('json', json.dumps(head).encode()), ('programs', texts), ('outputs', data)]:
        subprocess.run(['zstd', '-q', '-19', '-f', '-o', os.path.join(golden, f'whole.{name}.zst')], input=bytes(b), check=True)
    print(len(cases), 'programs,', len(differ), 'of them with other bytes at -O3,', len(left), 'left out')

if __name__ == '__main__':
    what, where, *rest = sys.argv[1:]
    if what == 'write': [write(where, s) for s in range(int(rest[0]), int(rest[1]))]
    elif what == 'check': sys.exit(bool(check(where, int(rest[0]), int(rest[1]))))
    elif what == 'measure': measure(where, int(rest[0]), int(rest[1]))
    elif what == 'pack': pack([where] + rest)
