"""Runs the kernels that `cargo xtask litmus kernels` has written on a GPU, and writes one JSON line for each.

    run.py KERNELS OUT [--seconds 0.5] [--only PATTERN] [--seed 1] [--by-parameters]

Each launch draws its parameters from a seed; docs/litmus-h200.md says what they are. A worker does the launches, so that
a kernel that hangs costs its own line and nothing else.
"""
import argparse, concurrent.futures, ctypes as C, json, os, random, shutil, subprocess, sys, time
import numpy as np

HERE = os.path.dirname(os.path.abspath(__file__))
for folder in (os.path.join(HERE, '../../golden/generate'), HERE):
    sys.path.append(folder)

MEMORY = 256 << 20      # bytes of locations
SCRATCH = 64 << 20      # bytes that stress hammers
TABLE = 1024            # outcomes that a kernel's table has room for
ROUNDS = 100            # rounds of a launch, at most
STALLED = 40            # seconds without a line after which a worker is given up

def assemble(kernels, entry, folder):
    """A kernel as a cubin, if there is a ptxas, else as it is for the driver to assemble."""
    source = os.path.join(kernels, entry['ptx'])
    ptxas = shutil.which('ptxas') or '/usr/local/cuda/bin/ptxas'
    if not os.path.exists(ptxas):
        return source
    out = os.path.join(folder, entry['ptx'] + '.cubin')
    done = subprocess.run([ptxas, '-arch', 'sm_90', '-o', out, source], capture_output=True, text=True)
    if done.returncode:
        return source
    return out

class Device:
    """The GPU, with all buffers that launches use."""
    def __init__(self):
        import cu
        self.cu, self.L = cu, cu.L
        cu.init()
        self.sms = self.attribute(16)
        self.results, self.outcomes = cu.Buf(16 << 20), cu.Buf(TABLE * 16 + 16)
        self.meeting, self.scratch = cu.Buf(1 << 20), cu.Buf(SCRATCH).fill(0)
        self.locations, self.aliases = self.twice(MEMORY)

    def attribute(self, which):
        value = C.c_int()
        self.cu.ck(self.L.cuDeviceGetAttribute(C.byref(value), which, 0))
        return value.value

    def twice(self, size):
        """The same memory at two addresses."""
        class Location(C.Structure): _fields_ = [('type', C.c_int), ('id', C.c_int)]
        class Flags(C.Structure): _fields_ = [('compression', C.c_ubyte), ('rdma', C.c_ubyte), ('usage', C.c_ushort), ('reserved', C.c_ubyte * 4)]
        class Properties(C.Structure):
            _fields_ = [('type', C.c_int), ('handles', C.c_int), ('location', Location), ('win32', C.c_void_p), ('flags', Flags)]
        class Access(C.Structure): _fields_ = [('location', Location), ('flags', C.c_int)]
        properties = Properties(1, 0, Location(1, 0), None, Flags())
        handle = C.c_uint64()
        ck = self.cu.ck
        ck(self.L.cuMemCreate(C.byref(handle), C.c_size_t(size), C.byref(properties), C.c_ulonglong(0)), 'create')
        addresses = []
        for _ in range(2):
            address = C.c_uint64()
            ck(self.L.cuMemAddressReserve(C.byref(address), C.c_size_t(size), C.c_size_t(0), C.c_uint64(0), C.c_ulonglong(0)), 'reserve')
            ck(self.L.cuMemMap(address, C.c_size_t(size), C.c_size_t(0), handle, C.c_ulonglong(0)), 'map')
            access = Access(Location(1, 0), 3)
            ck(self.L.cuMemSetAccess(address, C.c_size_t(size), C.byref(access), C.c_size_t(1)), 'access')
            addresses.append(address)
        return addresses

class Config(C.Structure):
    _fields_ = [(n, C.c_uint) for n in ('gx', 'gy', 'gz', 'bx', 'by', 'bz', 'shared')] + [('stream', C.c_void_p), ('attrs', C.c_void_p), ('n', C.c_uint)]

class Test:
    """A loaded kernel."""
    def __init__(self, device, entry, image):
        self.device, self.entry = device, entry
        data = open(image, 'rb').read()
        self.module = device.cu.Mod(data + b'\0')
        self.function = self.module.fn('litmus')
        device.results.fill(0)
        device.outcomes.fill(0)
        self.runs = self.launches = 0
        self.resident = {}

    def resident_ctas(self, block, shared):
        """How many CTAs run at once: all must, since they wait for each other."""
        if (block, shared) not in self.resident:
            L, ck, count = self.device.L, self.device.cu.ck, C.c_int()
            cluster = self.entry['cluster']
            if cluster == 1:
                ck(L.cuOccupancyMaxActiveBlocksPerMultiprocessor(C.byref(count), self.function, block, C.c_size_t(shared)), 'occupancy')
                total = count.value * self.device.sms
            else:
                config = Config(cluster * 64, 1, 1, block, 1, 1, shared, None, None, 0)
                ck(L.cuOccupancyMaxActiveClusters(C.byref(count), self.function, C.byref(config)), 'clusters')
                total = count.value * cluster
            self.resident[block, shared] = total
        return self.resident[block, shared]

    def draw(self, chance):
        """Parameters of a launch, by chance."""
        e = self.entry
        warps = chance.choice([1, 1, 2, 4, 8])
        while 32 * e['threads'] * warps > 768:
            warps //= 2
        stress = chance.choice([0, 1, 2, 4, 8]) if e['stress'] else 0
        together = int(e['together'] and chance.random() < 0.2)
        return {
            'warps': warps, 'stress_warps': min(stress, (1024 - 32 * e['threads'] * warps) // 32),
            'together': together, 'align': 0 if together else int(chance.random() < 0.8),
            'delay': chance.choice([0, 0, 63, 255, 1023]), 'touch': chance.choice([0, 0xffff, 0xffff]),
            'stress': chance.randrange(8), 'scratch': chance.choice([0xffc, 0xfffc, 0x3ffffc, 0x3fffffc]),
            'layout': chance.choice(['lines', 'lines', 'neighbours', 'arrays', 'far']),
            'shared_layout': chance.choice(['neighbours', 'arrays', 'lines']),
            'ctas_per_sm': chance.choice([1, 1, 2, 3]), 'seed': chance.randrange(1 << 32),
        }

    def launch(self, p, rounds):
        d, e, cu = self.device, self.entry, self.device.cu
        instances, objects = 32 * p['warps'], max(1, e['objects'])
        block = 32 * (e['threads'] * p['warps'] + p['stress_warps'])
        small = 16 if e['wide'] else 4
        own = e['shared_objects']
        shared_layout = p['shared_layout'] if instances * own * 128 <= 40960 else 'arrays'
        strides = {'lines': (128, 128 * own), 'neighbours': (16, 16 * own), 'arrays': (16 * instances, 16)}[shared_layout]
        shared = max(16, instances * own * (128 if shared_layout == 'lines' else 16))
        each = e['cluster'] * e['units']
        resident = self.resident_ctas(block, shared)
        ctas = min(resident, d.sms * p['ctas_per_sm'] if e['cluster'] == 1 else resident)
        groups = ctas // each
        if groups == 0:
            raise RuntimeError('nothing fits')
        total = groups * instances
        layout = {
            'lines': (128, 128 * objects), 'neighbours': (small, small * objects),
            'arrays': (small * total, small), 'far': (8 << 20, small),
        }[p['layout']]
        if total * layout[1] + objects * layout[0] > MEMORY or total * e['slots'] * 4 > 16 << 20:
            raise RuntimeError('too much memory')
        d.meeting.fill(0)
        args = [d.locations, d.aliases if e['aliases'] else d.locations, d.results.p, d.outcomes.p, d.meeting.p, d.scratch.p]
        args += [C.c_uint(v) for v in (
            rounds, p['seed'], p['warps'], p['together'], *layout, *strides,
            p['align'], p['delay'], p['touch'], p['stress'], p['scratch'])]
        pointers = (C.c_void_p * len(args))(*[C.addressof(a) for a in args])
        cu.ck(d.L.cuLaunchKernel(self.function, *[C.c_uint(v) for v in (groups * each, 1, 1, block, 1, 1, shared)], None, pointers, None), 'launch')
        self.runs += total * rounds
        self.launches += 1

    def outcomes(self):
        table = self.device.outcomes.get(np.uint64)
        bits, count = self.entry['bits'], len(self.entry['observes'])
        found = {}
        for key, n in table[:2 * TABLE].reshape(-1, 2):
            if key:
                key = int(key)
                values = tuple(key >> bits * (count - 1 - i) & (1 << bits) - 1 for i in range(count))
                found[values] = found.get(values, 0) + int(n)
        return found, int(table[2 * TABLE]), int(table[2 * TABLE + 1])

def work(options):
    """The worker: one line for each entry of standard input."""
    device = Device()
    for line in sys.stdin:
        entry = json.loads(line)
        result = {'test': entry['test'], 'hash': entry['hash'], 'home': entry['home']}
        try:
            test = Test(device, entry, entry['image'])
            chance = random.Random(f"{options.seed} {entry['test']} {entry['home']}")
            began = time.time()
            parameters, before, rounds = [], {}, 5
            while time.time() - began < options.seconds or test.launches < 3:
                drawn = test.draw(chance)
                launched = time.time()
                test.launch(drawn, rounds)
                device.cu.sync()
                # Launches that threads give up in take long: fewer rounds, so that parameters change as often.
                rounds = max(5, min(ROUNDS, int(0.02 * rounds / (time.time() - launched))))
                if options.by_parameters:
                    now = test.outcomes()[0]
                    new = {k: n - before.get(k, 0) for k, n in now.items() if n > before.get(k, 0)}
                    parameters.append([drawn, [[list(k), n] for k, n in sorted(new.items())]])
                    before = now
            found, lost, unfinished = test.outcomes()
            result.update(runs=test.runs, launches=test.launches, seconds=round(time.time() - began, 2), observes=entry['observes'],
                          outcomes=[[list(k), n] for k, n in sorted(found.items())])
            if lost: result['lost'] = lost
            if unfinished: result['unfinished'] = unfinished
            if parameters: result['parameters'] = parameters
            test.module.unload()
        except RuntimeError as error:
            result['error'] = str(error)
        print(json.dumps(result), flush=True)
        if 'error' in result:
            return

def main():
    parser = argparse.ArgumentParser()
    parser.add_argument('kernels')
    parser.add_argument('out')
    parser.add_argument('--seconds', type=float, default=0.5)
    parser.add_argument('--total', type=float, default=1e9, help='stop after so many seconds')
    parser.add_argument('--only', default='')
    parser.add_argument('--without', default='//', help='leave out the tests with this in their names')
    parser.add_argument('--after', help='leave out the kernels that this file has lines of')
    parser.add_argument('--seed', type=int, default=1)
    parser.add_argument('--by-parameters', action='store_true')
    parser.add_argument('--worker', action='store_true')
    options = parser.parse_args()
    if options.worker:
        return work(options)
    began = time.time()
    wanted = options.only.split(',')
    entries = [e for e in json.load(open(os.path.join(options.kernels, 'tests.json')))['tests']
               if any(w in e['test'] for w in wanted) and options.without not in e['test']]
    if options.after:
        done = {(r['test'], r['home']) for r in map(json.loads, open(options.after))}
        entries = [e for e in entries if (e['test'], e['home']) not in done]
    folder = os.path.join('/tmp', f'litmus-{os.getpid()}')
    os.makedirs(folder, exist_ok=True)
    pool = concurrent.futures.ThreadPoolExecutor(max(1, (os.cpu_count() or 2) - 2))
    images = [pool.submit(assemble, options.kernels, e, folder) for e in entries]
    import select
    at, worker, lines = 0, None, 0
    with open(options.out, 'a') as out:
        while at < len(entries) and time.time() - began < options.total:
            if worker is None:
                worker = subprocess.Popen([sys.executable, os.path.abspath(__file__), *sys.argv[1:], '--worker'],
                                          stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, bufsize=1)
            entry = dict(entries[at], image=images[at].result())
            at += 1
            try:
                worker.stdin.write(json.dumps(entry) + '\n')
                worker.stdin.flush()
            except BrokenPipeError:
                pass
            ready, _, _ = select.select([worker.stdout], [], [], STALLED + options.seconds)
            line = worker.stdout.readline() if ready else ''
            if not line:
                line = json.dumps({'test': entry['test'], 'hash': entry['hash'], 'home': entry['home'], 'error': 'hangs' if not ready else 'the worker died'}) + '\n'
            out.write(line)
            out.flush()
            if '"error"' in line:
                print(line.strip(), flush=True)
                worker.kill()
                worker.wait()
                worker = None
            lines += 1
    if worker:
        worker.stdin.close()
        worker.wait()
    pool.shutdown(cancel_futures=True)
    shutil.rmtree(folder, ignore_errors=True)
    print(f'{lines} of {len(entries)} kernels in {time.time() - began:.0f} s', flush=True)

main()
