"""Runs the cases on the device. `prepare FILE` assembles them and writes those that ptxas takes, in phases; `run FILE OUT WIDTH` measures them.

The phases follow one another so that what may bring the whole GPU down comes last: once, in the middle of tensor reductions
that ran beside faults in other contexts, it stopped answering altogether. Reductions therefore run one at a time."""
import gzip, json, sys, time
import async_case, async_pool

def run_case(c): return async_case.run_case(c)
def encodings(ms): import async_tensor as t; return t.encode_all(ms)
def __getattr__(name):
    import async_facts
    return getattr(async_facts, name)

def prepare(path, only):
    import async_bulk as b, async_tensor as t
    phases = {'first': [t.arrange(list(t.stores())) + list(t.multicasts()) + list(t.replaced_loads()) + [c for c in t.replaces() if 'im2col' not in c['name']] + [c for c in b.everything() if c['group'] not in ('faults', 'mbarrier')], 12],
              'second': [t.arrange(list(t.more_stores())) + list(t.im2col_multicasts()) + [c for c in t.replaces() if 'im2col' in c['name']] + list(b.mbarriers()), 8],
              'reduce': [list(t.reductions()) + list(t.reductions_of_shapes()), 1],
              'faults': [[c for c in list(t.multicasts()) + list(b.everything()) if c['group'] == 'faults'], 3],
              'other': [list(t.reductions_of_other_types()), 1]}
    out = []
    for name, (cases, width) in phases.items():
        if only and name not in only: continue
        if name == 'first': cases = [c for c in cases if c['group'] != 'faults']
        ok, bad = async_case.assemble(cases); print(name, len(cases), 'cases,', len(ok), 'kept')
        for n, e in bad:
            if not n.startswith(('reduce ', 'red.async', 'st.async')): print(n, e)
        out.append({'phase': name, 'width': width, 'cases': ok})
    names = [(c['group'], c['name']) for p in out for c in p['cases']]; assert len(set(names)) == len(names)
    gzip.open(path, 'wt').write(json.dumps({'phases': out, 'encodings': t.encodings()}))

def measure(path, out, limit):
    d = json.load(gzip.open(path)); t = time.time(); res = {}
    e = d['encodings']; first = [(f'encodings/{i}', 'encodings', {'ms': e[i:i + 100]}) for i in range(0, len(e), 100)] + [('try_wait_branch', 'try_wait_branch', {})]
    for p in d['phases']:
        jobs = first + [(f"case/{c['group']}/{c['name']}", 'run_case', {'c': c}) for c in p['cases']]; first = []
        res |= async_pool.run('async_run', jobs, width=p['width'], deadline=t + limit, lost=3)
        gzip.open(out, 'wt').write(json.dumps(res)); print(p['phase'], len(jobs), 'jobs', len(res), 'answers so far,', sum('ok' not in r for r in res.values()), 'not ok', round(time.time() - t), 's')

if __name__ == '__main__':
    if sys.argv[1] == 'prepare': prepare(sys.argv[2], sys.argv[3:])
    else: measure(sys.argv[2], sys.argv[3], int(sys.argv[4]))
