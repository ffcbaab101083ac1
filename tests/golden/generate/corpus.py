"""Launches the kernels of tests/corpus on an H200 as crates/vm/tests/corpus/launches.json says, and writes what they leave in memory.

    corpus.py OUT            assembles with ptxas --fmad=false, because ptxvm executes what is written, and runs everything
    corpus.py OUT WORD…      runs only the cases in whose name one of the words stands
    corpus.py --assemble     only assembles
    corpus.py --add OUT      puts the cases of OUT, which must be new, after those of tests/golden/corpus.*

Each case has a process of its own: a kernel that faults takes its context with it. OUT gets corpus.json and
corpus.outputs; tests/golden/README.md describes them."""
import concurrent.futures, glob, json, os, pickle, re, shutil, subprocess, sys, tempfile
import numpy as np

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.join(HERE, '../../..')
VARIANTS = ['sm_80', 'sm_90', 'sm_90a', 'G.sm_90a']
PTXAS = os.environ.get('PTXAS') or shutil.which('ptxas') or '/usr/local/cuda/bin/ptxas'
LARGE = 32768  # buffers above this many bytes are recorded by the hashes of their blocks
BLOCK = 4096

M = np.uint64
def mix(z):
    z = (z ^ z >> M(30)) * M(0xbf58476d1ce4e5b9); z = (z ^ z >> M(27)) * M(0x94d049bb133111eb); return z ^ z >> M(31)

def draws(n, position):
    with np.errstate(over='ignore'):
        return mix(M((position + 1) << 48) + np.arange(1, n + 1, dtype=M) * M(0x9e3779b97f4a7c15))

FLOATS = {'bf16': (16, 7), 'f16': (16, 10), 'f32': (32, 23), 'f64': (64, 52)}
def width(t): return FLOATS[t][0] if t in FLOATS else int(t[1:])

def encode(t, v):
    """The bits of numbers; floats of 16 bits must have them exactly."""
    v = np.asarray(v, np.float64)
    if t == 'f64': return v.view(M)
    if t == 'f32': return v.astype(np.float32).view(np.uint32).astype(M)
    if t == 'f16': return v.astype(np.float16).view(np.uint16).astype(M)
    if t == 'bf16': return v.astype(np.float32).view(np.uint32).astype(M) >> M(16)
    return v.astype(np.int64).view(M)

def fill(t, n, how, position):
    """The same elements as crates/vm/tests/corpus/fill.rs draws."""
    word, _, rest = how.partition('('); num = [float(x) for x in rest.rstrip(')').split(',') if x]; z = draws(n, position)
    if word == 'zero': b = np.zeros(n, M)
    elif word == 'bits': b = z
    elif word == 'int': b = encode(t, num[0] + (z % M(int(num[1] - num[0] + 1))).astype(np.float64))
    elif word == 'real': b = encode(t, num[0] + (num[1] - num[0]) * ((z >> M(11)).astype(np.float64) * 2.0 ** -53))
    elif word == 'pick': b = encode(t, np.array(num)[(z % M(len(num))).astype(np.int64)])
    elif word == 'spread':
        w, f = FLOATS[t]; bias = (1 << (w - f - 2)) - 1
        e = (z & M(0x7ff)) % M(int(num[1] - num[0] + 1)) + M(int(num[0]) + bias)
        b = (z >> M(63)) << M(w - 1) | e << M(f) | (z >> M(11) & M((1 << f) - 1))
    else: raise SystemExit(f'no such filling: {how}')
    return b.astype('<u%d' % (width(t) // 8))  # the upper bits go

# A texture or a surface, in the words of launches.json: how many sizes each geometry has, CUDA_ARRAY3D flags, CUarray_formats.
GEOMETRIES = {'1d': (1, 0), '2d': (2, 0), '3d': (3, 0), 'a1d': (2, 1), 'a2d': (3, 1), 'cube': (3, 4), 'acube': (3, 5), 'linear': (1, None), 'pitched': (2, None)}
FORMATS = {'u8': 1, 'u16': 2, 'u32': 3, 's8': 8, 's16': 9, 's32': 10, 'f16': 0x10, 'f32': 0x20}
ADDRESS = {'wrap': 0, 'clamp': 1, 'mirror': 2, 'border': 3}

class Object:
    """A texture or surface object over an argument's elements: `texture 2d,linear,channels=4 u8[8,8,4]=bits`."""
    def __init__(s, kind, words, t, shape, x):
        import ctypes as C, cu
        V, Z, U = C.c_void_p, C.c_size_t, C.c_uint; s.x, s.array, s.buffer = x, None, None
        words = dict(w.partition('=')[::2] for w in words.split(',')); geometry = next(w for w in words if w in GEOMETRIES)
        dims, flags = GEOMETRIES[geometry]; levels, channels = int(words.get('levels') or 1), int(words.get('channels') or 1)
        size = shape[-1 - (channels > 1)::-1] if channels > 1 else shape[::-1]; assert len(size) == dims, (words, shape)
        texel = x.itemsize * channels; s.desc = np.zeros(144, np.uint8); s.handle = C.c_uint64()
        if flags is None:
            s.buffer = cu.Buf(x.nbytes).put(x); kind_number = 2 if geometry == 'linear' else 3
            words64 = [s.buffer.p.value, FORMATS[t] | channels << 32] + ([x.nbytes] if kind_number == 2 else [size[0], size[1], size[0] * texel])
            s.desc[:4].view(np.uint32)[0] = kind_number; s.desc[8:8 + 8 * len(words64)].view(np.uint64)[:] = words64
        else:
            w, h, d = size[0], size[1] if dims > 1 and geometry != 'a1d' else 0, size[-1] if dims == 3 or geometry == 'a1d' else 0
            class A(C.Structure): _fields_ = [('w', Z), ('h', Z), ('d', Z), ('format', U), ('channels', U), ('flags', U)]
            class Copy(C.Structure): _fields_ = [('src', Z * 4), ('stype', U), ('shost', V), ('sdev', C.c_uint64), ('sarr', V), ('r0', V), ('spitch', Z), ('sheight', Z), ('dst', Z * 4), ('dtype', U), ('dhost', V), ('ddev', C.c_uint64), ('darr', V), ('r1', V), ('dpitch', Z), ('dheight', Z), ('extent', Z * 3)]
            a = A(w, h, d, FORMATS[t], channels, flags | (2 if kind == 'surface' else 0) | (8 if geometry == '2d' and kind == 'texture' and levels == 1 else 0)); s.array = V()
            if levels > 1: cu.ck(cu.L.cuMipmappedArrayCreate(C.byref(s.array), C.byref(a), U(levels)), 'cuMipmappedArrayCreate')
            else: cu.ck(cu.L.cuArray3DCreate_v2(C.byref(s.array), C.byref(a)), 'cuArray3DCreate')
            def copy(level, to):
                at = lambda n: max(1, n >> level) if n else 0
                c = Copy(); host = s.now; row = at(w) * texel; array = s.array
                if levels > 1: array = V(); cu.ck(cu.L.cuMipmappedArrayGetLevel(C.byref(array), s.array, U(level)), 'cuMipmappedArrayGetLevel')
                c.stype, c.dtype = (1, 3) if to else (3, 1); c.extent = (Z * 3)(row, max(1, at(h)), max(1, at(d) if flags == 0 else d))
                if to: c.shost, c.spitch, c.sheight, c.darr = host.ctypes.data, row, max(1, at(h)), array
                else: c.dhost, c.dpitch, c.dheight, c.sarr = host.ctypes.data, row, max(1, at(h)), array
                cu.ck(cu.L.cuMemcpy3D_v2(C.byref(c)), 'cuMemcpy3D')
            s.copy = copy; s.now = np.array(x)
            # A coarser level holds the first of the elements.
            for level in range(levels): copy(level, True)
            s.desc[:4].view(np.uint32)[0] = 1 if levels > 1 else 0; s.desc[8:16].view(np.uint64)[0] = s.array.value
        desc = s.desc.ctypes.data_as(V)
        if kind == 'surface': cu.ck(cu.L.cuSurfObjectCreate(C.byref(s.handle), desc), 'cuSurfObjectCreate'); return
        # Unless the words say otherwise: clamped, the nearest texel, elements as they are.
        tex = np.zeros(104, np.uint8); tex[:12].view(np.uint32)[:] = next((ADDRESS[w] for w in words if w in ADDRESS), 1)
        tex[12:28].view(np.uint32)[:] = ['smooth' in words, (0 if 'unit' in words else 1) | (2 if 'normalized' in words else 0), 0, 'trilinear' in words]; tex[36:40].view(np.float32)[0] = levels - 1
        cu.ck(cu.L.cuTexObjectCreate(C.byref(s.handle), desc, tex.ctypes.data_as(V), None), 'cuTexObjectCreate')
    def get(s):
        if s.buffer: return s.buffer.get()
        s.copy(0, False); return s.now.view(np.uint8)
    def free(s):
        pass

def parse(text, position):
    """(type, shape or None, elements, array, volatile) of an argument"""
    text = re.sub(r'^(texture|surface) \S+ ', '', text); text = text.removesuffix(' but the first')
    array = text.startswith('array '); text = text.removeprefix('array '); volatile = text.endswith(' volatile'); text = text.removesuffix(' volatile')
    m = re.fullmatch(r'(\w+)\[([\d,]+)\]=(.*)', text)
    if m:
        shape = [int(x) for x in m[2].split(',')]; return m[1], shape, fill(m[1], int(np.prod(shape)), m[3], position), array, volatile
    t, v = text.split(' '); return t, None, encode(t, [float(v)]).astype('<u%d' % (width(t) // 8)), array, volatile

def name(case): return ' '.join(case[k] for k in ('kernel', 'entry', 'case') if k in case)

def source(case, path):
    text = open(path).read()
    if 'link' in case:
        library = open(os.path.join(ROOT, 'crates/vm/tests/corpus/library', case['link'] + '.ptx')).read()
        text = text.replace('.extern .func', '.func') + library.split('.address_size 64')[1]
    return re.sub(r'^\.version 9\.1', '.version 9.0', text, flags=re.M)  # what CUDA 13.0 reads

def assemble(case, variant, folder):
    path = os.path.join(ROOT, 'tests/corpus', f"{case['kernel']}.{variant}.ptx"); cubin = os.path.join(folder, f"{case['kernel']}.{variant}.cubin".replace('/', '+'))
    if os.path.exists(path) and not os.path.exists(cubin):
        open(cubin + '.ptx', 'w').write(source(case, path))
        if not os.path.exists(PTXAS): shutil.copy(cubin + '.ptx', cubin); return cubin
        r = subprocess.run([PTXAS, '-arch=sm_90a', '--fmad=false', cubin + '.ptx', '-o', cubin + '.part'], capture_output=True, text=True)
        if r.returncode: print(path, r.stderr[:300], flush=True)
        else: os.rename(cubin + '.part', cubin)
    return cubin

def hashes(b):
    b = np.concatenate([b, np.zeros(-len(b) % BLOCK, np.uint8)]).view(M).reshape(-1, BLOCK // 8)
    with np.errstate(over='ignore'):
        return [int(x) for x in mix(b ^ mix(np.arange(1, BLOCK // 8 + 1, dtype=M))[None, :]).sum(axis=1, dtype=M)]

def run(case, cubin):
    """What a launch leaves: (position, bytes) of each buffer that changed and is not volatile."""
    import ctypes as C, cu
    mod = cu.Mod(open(cubin, 'rb').read() + b'\0')
    entry = case.get('entry') or re.search(r'\.entry\s+([\w$]+)', open(cubin + '.ptx').read())[1]
    f = mod.fn(entry); shared = case.get('shared', 0)
    if shared == 'all':
        static = C.c_int(); cu.ck(cu.L.cuFuncGetAttribute(C.byref(static), 1, f), 'attribute'); shared = 232448 - static.value
    if shared > 49152: cu.ck(cu.L.cuFuncSetAttribute(f, 8, C.c_int(shared)), 'shared')
    args = []; kept = []
    for position, a in enumerate(case['arguments']):
        if isinstance(a, list): args.append(b''.join(parse(p, position)[2].tobytes() for p in a)); continue
        t, shape, x, array, volatile = parse(a, position)
        object = re.match(r'(texture|surface) (\S+) ', a)
        if object: o = Object(object[1], object[2], t, shape, x); args.append(np.uint64(o.handle.value)); kept.append((position, x, o, volatile)); continue
        if shape is None: args.append(x.tobytes()); continue
        b = cu.Buf(x.nbytes).put(x); kept.append((position, x, b, volatile))
        if not array: args.append(b); continue
        w = width(t) // 8; head = [0, 0, x.size, w]; tail = shape + [w * int(np.prod(shape[d + 1:])) for d in range(len(shape))]
        args += [np.uint64(v) for v in head] + [b] + [np.uint64(v) for v in tail]
    cu.launch(f, case['grid'], case['block'], args, shared); cu.sync()
    out = []
    for position, x, b, volatile in kept:
        y = b.get(); b.free()
        # The first element, which all threads add to in no order.
        if case['arguments'][position].endswith(' but the first'): y[:x.itemsize] = x.view(np.uint8)[:x.itemsize]
        if not volatile and y.tobytes() != x.tobytes(): out.append((position, y))
    mod.unload(); return out

def child(index, folder, to):
    import cu
    case = CASES[index]; cu.init(); outcomes = []; sys.excepthook = lambda kind, error, trace: print(name(case), repr(error), flush=True)
    for v in VARIANTS:
        cubin = os.path.join(folder, f"{case['kernel']}.{v}.cubin".replace('/', '+'))
        if not os.path.exists(cubin): continue
        first = run(case, cubin); again = run(case, cubin)
        same = len(first) == len(again) and all(p == q and (a == b).all() for (p, a), (q, b) in zip(first, again))
        if not same: print(name(case), v, 'differs from run to run', flush=True); continue
        for o in outcomes:
            if len(o[1]) == len(first) and all(p == q and (a == b).all() for (p, a), (q, b) in zip(o[1], first)): o[0].append(v); break
        else: outcomes.append(([v], first))
    pickle.dump([(vs, [(p, b.tobytes()) for p, b in bs]) for vs, bs in outcomes], open(to, 'wb'))

def add(out):
    """Needs the command zstd."""
    golden = os.path.join(ROOT, 'tests/golden')
    unpack = lambda n: subprocess.run(['zstd', '-dc', os.path.join(golden, n + '.zst')], capture_output=True, check=True).stdout
    all, data = json.loads(unpack('corpus.json')), unpack('corpus.outputs')
    new, more = json.load(open(out + '/corpus.json')), open(out + '/corpus.outputs', 'rb').read()
    known = {c['case'] for c in all['cases']}; assert not any(c['case'] in known for c in new['cases'])
    for b in (b for c in new['cases'] for o in c['outcomes'] for b in o['buffers'] if 'offset' in b): b['offset'] += len(data)
    all['cases'] += new['cases']
    for n, b in (('corpus.json', json.dumps(all).encode()), ('corpus.outputs', data + more)):
        subprocess.run(['zstd', '-q', '-19', '-f', '-o', os.path.join(golden, n + '.zst')], input=b, check=True)

CASES = json.load(open(os.path.join(ROOT, 'crates/vm/tests/corpus/launches.json')))
if __name__ == '__main__':
    sys.path.insert(0, HERE)
    if sys.argv[1] == '--child': child(int(sys.argv[2]), sys.argv[3], sys.argv[4]); sys.exit()
    if sys.argv[1] == '--add': add(sys.argv[2]); sys.exit()
    words = sys.argv[2:]
    wanted = [(i, c) for i, c in enumerate(CASES) if c.get('gpu', True) and 'ends' not in c and (not words or any(w in name(c) for w in words))]
    folder = tempfile.mkdtemp()
    firsts = {c['kernel']: c for _, c in wanted}
    with concurrent.futures.ThreadPoolExecutor() as pool:
        list(pool.map(lambda j: assemble(*j), [(c, v, folder) for c in firsts.values() for v in VARIANTS]))
    print(len(glob.glob(folder + '/*.cubin')), 'files assembled', flush=True)
    if sys.argv[1] == '--assemble': sys.exit()
    out = sys.argv[1]; data = bytearray(); found = []
    wanted = [(i, c) for i, c in wanted if any(os.path.exists(os.path.join(folder, f"{c['kernel']}.{v}.cubin".replace('/', '+'))) for v in VARIANTS)]
    def measure(job):
        i, case = job; part = os.path.join(folder, f'{i}.pickle')
        try: r = subprocess.run([sys.executable, __file__, '--child', str(i), folder, part], timeout=30)
        except subprocess.TimeoutExpired: print(name(case), 'takes too long', flush=True); return None
        if r.returncode or not os.path.exists(part): print(name(case), 'failed', flush=True); return None
        return part
    with concurrent.futures.ThreadPoolExecutor(8) as pool: parts = list(pool.map(measure, wanted))
    for (i, case), part in zip(wanted, parts):
        if part is None: continue
        outcomes = []
        for variants, buffers in pickle.load(open(part, 'rb')):
            rows = []
            for position, b in buffers:
                if len(b) > LARGE: rows.append({'position': position, 'length': len(b), 'hashes': hashes(np.frombuffer(b, np.uint8))})
                else: rows.append({'position': position, 'length': len(b), 'offset': len(data)}); data += b
            outcomes.append({'variants': variants, 'buffers': rows})
        found.append({'case': name(case), 'outcomes': outcomes})
    os.makedirs(out, exist_ok=True)
    json.dump({'gpu': 'NVIDIA H200', 'target': 'sm_90a', 'ptxas': '--fmad=false', 'cases': found}, open(out + '/corpus.json', 'w'))
    open(out + '/corpus.outputs', 'wb').write(data); print(len(found), 'cases,', len(data), 'bytes')
