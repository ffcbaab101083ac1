"""Runs measurements in child processes, because a kernel that faults or hangs takes its whole context with it.

A job is `(id, function name, parameters)`; the function lives in the module that the pool names and returns something
JSON can hold. A fault is recorded as `{"fault": number}`, a hang as `{"hang": seconds}`, and the jobs after it go to a new child.
"""
import base64, ctypes as C, importlib, json, os, queue, struct, subprocess, sys, threading, time
import numpy as np

LIMIT = 8.0

def b64(a): return base64.b64encode(bytes(a)).decode()

def worker(module):
    import cu
    m = importlib.import_module(module); cu.init()
    out = os.fdopen(os.dup(1), 'w'); os.dup2(2, 1)
    print(json.dumps({'ready': 1}), file=out, flush=True)
    for line in sys.stdin:
        name, params = json.loads(line)
        try: r = {'ok': getattr(m, name)(**params)}
        except RuntimeError as e: r = {'error': str(e)}
        print(json.dumps(r), file=out, flush=True)
        if 'error' in r: os._exit(0)

class Child:
    def __init__(s, module):
        s.p = subprocess.Popen([sys.executable, __file__, module], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, bufsize=1)
        s.q = queue.Queue()
        threading.Thread(target=s.reader, daemon=True).start()
        s.ready = False
    def reader(s):
        for line in s.p.stdout: s.q.put(line)
        s.q.put(None)
    def ask(s, job, limit):
        if not s.ready:
            if s.q.get(timeout=60) is None: raise EOFError
            s.ready = True
        s.p.stdin.write(json.dumps(job) + '\n'); s.p.stdin.flush()
        r = s.q.get(timeout=limit)
        if r is None: raise EOFError
        return json.loads(r)
    def end(s):
        try: s.p.kill(); s.p.wait(5)
        except Exception: pass

def run(module, jobs, width=8, limit=LIMIT, deadline=None, lost=10**9):
    """The answers by job id. A child takes the next job as soon as it is done with one. When `lost` children could not even start, the rest is left."""
    todo = queue.Queue(); answers = {}; dead = []
    for j in jobs: todo.put(j)
    def loop():
        child = None
        while (deadline is None or time.time() < deadline) and len(dead) < lost:
            try: i, name, params = todo.get_nowait()
            except queue.Empty: break
            if child is None: child = Child(module)
            try: r = child.ask((name, params), limit)
            except queue.Empty: r = {'hang': limit}
            except (EOFError, BrokenPipeError): r = {'died': 1}; dead.append(i)
            answers[i] = r
            if 'ok' not in r: child.end(); child = None
        if child: child.end()
    ts = [threading.Thread(target=loop) for _ in range(width)]
    for t in ts: t.start()
    for t in ts: t.join()
    return answers

if __name__ == '__main__':
    sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
    worker(sys.argv[1])
