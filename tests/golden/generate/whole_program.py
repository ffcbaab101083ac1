"""Random PTX programs that mean one thing: `program(seed)` is a module of one entry `k`, and how to launch it.

A thread's registers come from its row of `in`, go through random instructions, branches, loops, switches and calls, and
end in its row of `out`. Nothing races and everything ends: loops have counters, what lanes or threads exchange they exchange
where all of them come along, and what many threads write to one place are operations of one kind that commute."""
import re
from whole_forms import SHARES, COLLECTIVES

IN, OUT, TAIL = 12, 20, 4           # words of a row of `in` and of `out`; rows of `out` behind the threads', for atomics
SHAPES = [(32,), (64,), (96,), (128,), (16, 4), (8, 8), (16, 2), (8, 12), (32, 2), (4, 4, 4)]
GRIDS = [(1,), (2,), (3,), (4,), (2, 2), (1, 2)]
MASK = (1 << 64) - 1

def mix(h):
    """The finaliser of splitmix64."""
    h = (h ^ h >> 30) * 0xbf58476d1ce4e5b9 & MASK
    h = (h ^ h >> 27) * 0x94d049bb133111eb & MASK
    return h ^ h >> 31

# Words that mean something as one float, as two halves, or as the upper word of a double.
SPECIAL = [0, 0x80000000, 1, 0x7fffffff, 0xffffffff, 0x3f800000, 0xbf800000, 0x7f800000, 0xff800000, 0x7fc00001, 0x7f800001, 0x00800000, 0x007fffff, 0x7f7fffff,
           0x7ff00000, 0x3ff00000, 0x7c00fc00, 0x3c00bc00, 0x7e017c01, 0x000103ff, 0x04008400, 0x7bfffbff, 0x7f80ff80, 0x3f80bf80, 0x7fc10080, 0x00800001,
           0x4f000000, 0xcf000000, 0x4b800000, 0x5f000000, 0x7ff80000, 0x80000001]

def word(seed, i):
    """Word `i` of the input of the program `seed`: raw bits, a float or a double near one, a small number, or a special one."""
    h = mix((seed << 32 | i) + 0x9e3779b97f4a7c15 & MASK); low, kind = h & 0xffffffff, h >> 61
    if kind < 3: return low
    if kind < 5: return low & 0x80ffffff | 0x3f000000
    if kind == 5: return low & 0x800fffff | 0x3fe00000 + (h >> 32 & 0xf00000)
    return (h >> 32) & 0xff if kind == 6 else SPECIAL[h >> 32 & 31]

class Rng:
    """splitmix64: the same in every version of Python."""
    def __init__(self, seed): self.s = mix(seed + 0x1234567)
    def bits(self): self.s = self.s + 0x9e3779b97f4a7c15 & MASK; return mix(self.s)
    def below(self, n): return (self.bits() >> 11) % n
    def of(self, list): return list[self.below(len(list))]
    def chance(self, percent): return self.below(100) < percent

class Body:
    """The text of one function: its registers, and the statements in the making."""
    def __init__(self, rng, pools, threads, callees, entry):
        self.rng, self.pools, self.threads, self.callees, self.entry = rng, pools, threads, callees, entry
        self.lines, self.labels, self.counters, self.targets = [], 0, 0, []
        self.atomics = []; self.depth = 0; self.size = 0

    def put(self, text): self.lines.append('  ' + text + ';'); self.size += 1
    def label(self): self.labels += 1; return f'$L{self.labels}'
    def mark(self, label): self.lines.append(label + ':')
    def reg(self, c): return f'%{c}{self.rng.below(self.pools[c])}'

    def source(self, c):
        # Now and then a float is taken as bits, and bits as a float.
        if c == 'r' and self.rng.chance(6): c = 'f'
        elif c == 'f' and self.rng.chance(6): c = self.rng.of('rx')
        elif c == 'd' and self.rng.chance(8): c = 'g'
        elif c == 'x' and self.rng.chance(25): c = 'r'
        return self.reg(c)

    def fill(self, text, guard=''):
        """Puts a text of whole_forms with its holes filled."""
        taken = []
        def hole(m):
            c, r = m[1], self.rng
            if c == 'i': return hex(r.bits() & 0xffffffff if r.chance(60) else r.below(64))
            if c == 'b': return str(r.below(256))
            if c == 's': return str(r.below(32))
            if c == 'k': return '0f%08X' % (r.of(SPECIAL[:14]) if r.chance(20) else 0x3e000000 + r.below(0x3000000) | r.below(2) << 31)
            if c == 'P': taken.append(self.reg('p')); return taken[-1]
            if c == 'Q': return f'%p{(int(taken[-1][2:]) + 1) % self.pools["p"]}'
            return self.reg(c.lower()) if c.isupper() else self.source(c)
        for part in text.split('; '): self.put(guard + re.sub(r'\$(\w)', hole, part))

    def simple(self):
        at = self.rng.below(sum(s for s, _ in SHARES))
        for share, forms in SHARES:
            if at < share: break
            at -= share
        guard = ''
        form = self.rng.of(forms)
        if self.rng.chance(15) and ';' not in form: guard = f'@{self.rng.of(["", "!"])}{self.reg("p")} '
        self.fill(form, guard)

    def condition(self):
        """Makes a predicate that differs from lane to lane more often than not."""
        form = self.rng.of(['setp.lt.s32 %q0, $r, $r', 'setp.gt.f32 %q0, $f, $k', 'and.b32 %t0, $r, 3; setp.eq.u32 %q0, %t0, 1', 'setp.ltu.f64 %q0, $g, $g',
                            'setp.lt.and.u32 %q0, $r, $r, $p', 'and.pred %q0, $p, $p', 'not.pred %q0, $p', 'and.b32 %t0, $r, 1; setp.ne.or.u32 %q0, %t0, 0, !$p',
                            'setp.ge.u16 %q0, $h, $h', 'setp.ne.s64 %q0, $d, $d'] + (['setp.lt.u32 %q0, %lt, $b', 'and.b32 %t0, %lt, 5; setp.eq.u32 %q0, %t0, 4'] if self.entry else []))
        self.fill(form)

    # Statements. `budget` is how many instructions are wanted, `uniform` whether all threads of the CTA are here together.
    def block(self, budget, uniform):
        until = self.size + budget
        while self.size < until:
            left, r = until - self.size, self.rng
            if uniform and r.chance(14): self.together(left); continue
            if self.depth < 3 and left > 5 and r.chance(17):
                self.depth += 1
                inner = min(left, 4 + r.below(16))
                r.of([self.branch, self.branch, self.loop, self.switch])(inner)
                self.depth -= 1
            elif self.callees and r.chance(5): self.call()
            elif r.chance(9): self.memory()
            else: self.simple()

    def together(self, left):
        r = self.rng; kind = r.below(10)
        if kind < 5: self.fill(r.of(COLLECTIVES))
        elif kind < 8: self.exchange()
        elif kind == 8:
            self.put('setp.ne.u32 %q0, %lt, 0' if r.chance(20) else f'mov.pred %q0, {self.reg("p")}')
            what = r.of(['and', 'or', 'popc'])
            self.put(f'barrier.cta.red.popc.aligned.u32 {self.reg("r")}, 0, %q0' if what == 'popc' else f'bar.red.{what}.pred {self.reg("p")}, 0, %q0')
        elif self.depth < 2 and left > 10:
            self.depth += 1; c, top = self.counter(), self.label()
            self.put(r.of([f'mov.u32 {c}, %ctaid.x', f'and.b32 {c}, %n, 3', f'mov.u32 {c}, {r.below(4)}'])); self.mark(top)
            self.block(min(left, 5 + r.below(14)), True)
            self.put(f'sub.u32 {c}, {c}, 1'); self.put(f'setp.gt.s32 %q0, {c}, 0'); self.put(f'@%q0 bra{r.of(["", ".uni"])} {top}'); self.depth -= 1

    def counter(self): self.counters += 1; return f'%c{self.counters - 1}'

    def branch(self, budget):
        other, end = self.label(), self.label()
        self.condition(); both = self.rng.chance(60)
        self.put(f'@{self.rng.of(["", "!"])}%q0 bra {other}')
        self.block(max(2, budget // (2 if both else 1)), False)
        if both:
            self.put(f'bra {end}'); self.mark(other)
            self.block(max(2, budget // 2), False); self.mark(end)
        else: self.mark(other)

    def loop(self, budget):
        r, c, top, end = self.rng, self.counter(), self.label(), self.label()
        self.put(f'and.b32 {c}, {self.reg("r")}, {r.of([3, 7, 5, 6])}')
        before = r.chance(40)
        self.mark(top)
        if before: self.put(f'setp.eq.u32 %q0, {c}, 0'); self.put(f'@%q0 bra {end}')
        self.block(max(2, budget // 2), False)
        if r.chance(60): self.condition(); self.put(f'@%q0 bra {end}'); self.block(max(2, budget // 2), False)
        self.put(f'sub.u32 {c}, {c}, 1')
        if before: self.put(f'bra {top}')
        else: self.put(f'setp.gt.s32 %q0, {c}, 0'); self.put(f'@%q0 bra {top}')
        self.mark(end)

    def switch(self, budget):
        r = self.rng; ways = r.of([2, 4, 4, 8]); arms = [self.label() for _ in range(ways)]; end = self.label()
        if r.chance(30): arms[r.below(ways)] = end
        name = f'T{len(self.targets)}'; self.targets.append(f'{name}: .branchtargets {", ".join(arms)};')
        self.put(f'and.b32 %t0, {self.reg("r")}, {ways - 1}'); self.put(f'brx.idx %t0, {name}')
        for arm in arms:
            if arm == end: continue
            self.mark(arm); self.block(max(1, budget // ways), False)
            if not r.chance(25): self.put(f'bra {end}')
        self.mark(end)

    def call(self):
        r = self.rng; i = r.below(len(self.callees)); name, result = self.callees[i]
        text = f'{{ .param .b32 a0; .param .b32 a1; .param .b64 a2; .param .{result} r0;\n  st.param.b32 [a0], {self.reg("r")}; st.param.b32 [a1], {self.reg("f")}; st.param.b64 [a2], {self.reg(r.of("dg"))};\n'
        same = [c for c in self.callees if c[1] == result]
        if len(same) > 1 and r.chance(40):
            text += f'  mov.u64 %w0, {same[0][0]}; mov.u64 %w1, {same[1][0]}; selp.b64 %w0, %w0, %w1, {self.reg("p")};\n  P: .callprototype (.param .{result} _) _ (.param .b32 _, .param .b32 _, .param .b64 _);\n  call (r0), %w0, (a0, a1, a2), P;\n'
        else: text += f'  call (r0), {name}, (a0, a1, a2);\n'
        to = self.reg(r.of('rf') if result == 'b32' else r.of('dg'))
        self.lines.append(text + f'  ld.param.{result} {to}, [r0]; }}'); self.size += 5

    def memory(self):
        r = self.rng; kind = r.below(12)
        if not self.entry: kind = 8 + kind % 4
        if kind < 3:      # the thread's own array, anywhere in it
            t, c, m = r.of([('b32', 'r', 60), ('f32', 'f', 60), ('b64', 'd', 56), ('f64', 'g', 56), ('u16', 'h', 62), ('s8', 'r', 63), ('u8', 'r', 63), ('v2.b32', 'rr', 56), ('v4.f32', 'ffff', 48)])
            self.fill(f'and.b32 %t0, $r, {m}; cvt.u64.u32 %w0, %t0; add.u64 %w0, %w0, %loc')
            ops = lambda: '{' + ', '.join(self.distinct(c)) + '}' if len(c) > 1 else self.reg(c)
            where = r.of(['.local', '.local', ''])
            if not where: self.put('cvta.local.u64 %w0, %w0')
            self.put(f'ld{where}.{t} {ops()}, [%w0]' if r.chance(50) else f'st{where}.{t} [%w0], {ops()}')
            self.uses_local = True
        elif kind < 5:    # an atomic on the thread's own slot of shared memory, whose old value is known
            op = r.of(['add.u32', 'add.s32', 'min.s32', 'max.u32', 'and.b32', 'or.b32', 'xor.b32', 'exch.b32', 'inc.u32', 'dec.u32', 'cas.b32', 'add.f32', 'add.u64', 'max.s64', 'exch.b64', 'add.noftz.f16x2', 'min.u64', 'cas.b64'])
            c = {'f32': 'f', 'x2': 'x'}.get(op[-3:], {'f16x2': 'x'}.get(op.split('.')[-1], 'd' if op.endswith('64') else 'r'))
            self.put(f'atom.shared.{op} {self.reg(c)}, [%own], {self.reg(c)}' + (f', {self.reg(c)}' if 'cas' in op else ''))
        elif kind < 8:    # many threads on one word of `out`'s tail, each word with one operation
            if len(self.atomics) < 6 and r.chance(60):
                op, c, bytes = r.of([('add.u32', 'r', 4), ('min.s32', 'r', 4), ('max.u32', 'r', 4), ('and.b32', 'r', 4), ('or.b32', 'r', 4), ('xor.b32', 'r', 4), ('inc.u32', '37', 4),
                                     ('dec.u32', '11', 4), ('add.u64', 'd', 8), ('min.u64', 'd', 8), ('max.s64', 'd', 8), ('xor.b64', 'd', 8), ('or.b64', 'd', 8), ('min.u32', 'r', 4), ('max.s32', 'r', 4)])
                self.atomics.append((op, c, len(self.atomics) * 32, bytes))
            if not self.atomics: return self.simple()
            op, c, at, bytes = r.of(self.atomics)
            self.fill(f'and.b32 %t0, $r, 3; mad.wide.u32 %w0, %t0, {bytes}, %tail')
            value = self.reg(c) if c in 'rd' else c
            if r.chance(50) or 'inc' in op or 'dec' in op: self.put(f'atom.global.{op} {"%t1" if bytes == 4 else "%w1"}, [%w0+{at}], {value}')
            else: self.put(f'red.{r.of(["global", "relaxed.gpu.global"])}.{op} [%w0+{at}], {value}')
        else:             # tables in constant and in global memory
            space, name = r.of([('const', 'tab'), ('const', 'tab'), ('global', 'gtab'), ('global.nc', 'gtab')])
            t, c, m = r.of([('b32', 'r', 124), ('f32', 'f', 124), ('b64', 'd', 120), ('f64', 'g', 120), ('u16', 'r', 126), ('s16', 'h', 126), ('s8', 'r', 127), ('u8', 'd', 127), ('v2.b32', 'rr', 120), ('v2.f32', 'ff', 120), ('v4.b32', 'rrrr', 112)])
            if len(c) > self.pools[c[0]]: t, c = 'b32', 'r'
            self.fill(f'and.b32 %t0, $r, {m}; cvt.u64.u32 %w0, %t0; mov.u64 %w1, {name}; add.u64 %w0, %w0, %w1')
            self.put(f'ld.{space}.{t} ' + ('{' + ', '.join(self.distinct(c)) + '}' if len(c) > 1 else self.reg(c)) + ', [%w0]')

    def distinct(self, c):
        first = self.rng.below(self.pools[c[0]])
        return [f'%{c[0]}{(first + k) % self.pools[c[0]]}' for k in range(len(c))]

    def exchange(self):
        """Writes to shared memory, reads what another thread has written, and lets nobody write before all have read."""
        r = self.rng; t, c, width = r.of([('b32', 'r', 4), ('f32', 'f', 4), ('b64', 'd', 8), ('b16', 'h', 2), ('v2.b32', 'rr', 8), ('v4.b32', 'rrrr', 16), ('v2.f64', 'gg', 16), ('u8', 'r', 1)])
        ops = lambda: '{' + ', '.join(self.distinct(c)) + '}' if len(c) > 1 else self.reg(c)
        bar = r.of(['bar.sync 0', 'bar.sync 0', 'barrier.sync.aligned 0', 'barrier.sync 0', f'bar.sync 1, {self.threads}'])
        self.put(f'mad.lo.u32 %t0, %lt, {width}, %box'); self.put(f'st.shared.{t} [%t0], {ops()}'); self.put(bar)
        how = r.below(3)
        if how == 0: self.put(f'add.u32 %t1, %lt, {1 + r.below(self.threads - 1)}'); self.put(f'rem.u32 %t1, %t1, {self.threads}')
        elif how == 1: self.put(f'rem.u32 %t1, {self.reg("r")}, {self.threads}')
        else: self.put(f'sub.u32 %t1, {self.threads - 1}, %lt')
        self.put(f'mad.lo.u32 %t0, %t1, {width}, %box'); self.put(f'ld.shared.{t} {ops()}, [%t0]'); self.put(bar)

    def reduce(self):
        """Shared atomics of one kind by all threads on four words, read when all have ended."""
        r = self.rng; op = r.of(['add.u32', 'min.s32', 'max.u32', 'and.b32', 'or.b32', 'xor.b32', 'add.s32'])
        self.put('setp.lt.u32 %q0, %lt, 4'); self.put('mad.lo.u32 %t0, %lt, 4, %box'); self.put(f'@%q0 st.shared.b32 [%t0], {r.below(1 << 31)}'); self.put('bar.sync 0')
        some = r.chance(50)
        if some: self.condition()
        self.fill('and.b32 %t0, $r, 3; mad.lo.u32 %t0, %t0, 4, %box')
        if some: self.put(f'@%q0 red.shared.{op} [%t0], {self.reg("r")}')
        else: self.put(f'atom.shared.{op} %t1, [%t0], {self.reg("r")}')
        self.put('bar.sync 0'); self.put(f'and.b32 %t0, {self.reg("r")}, 12'); self.put('add.u32 %t0, %t0, %box'); self.put(f'ld.shared.b32 {self.reg("r")}, [%t0]'); self.put('bar.sync 0')

    def declarations(self):
        kinds = {'r': 'b32', 'x': 'b32', 'f': 'b32', 'd': 'b64', 'g': 'b64', 'h': 'b16', 'p': 'pred'}
        text = ''.join(f'.reg .{kinds[c]} %{c}<{n}>; ' for c, n in self.pools.items())
        return '  ' + text + f'.reg .b32 %t<4>; .reg .b64 %w<2>; .reg .b16 %s<1>; .reg .pred %q<1>;' + (f' .reg .b32 %c<{self.counters}>;' if self.counters else '') + ''.join('\n  ' + t for t in self.targets)

def function(rng, name, result, callees):
    """A `.func` of two words and a double word."""
    b = Body(rng, {'r': 3, 'f': 3, 'd': 2, 'g': 1, 'h': 2, 'x': 1, 'p': 2}, 0, callees, False)
    for line in ['ld.param.b32 %r0, [a]', 'ld.param.b32 %f0, [b]', 'ld.param.b64 %d0, [c]', 'mov.b64 {%r1, %x0}, %d0', 'xor.b32 %r2, %r0, %f0', f'mov.b32 %f1, 0f{0x3f800000 + rng.below(1 << 23):08X}',
                 'cvt.rn.f32.s32 %f2, %r1', 'mul.wide.u32 %d1, %r0, %r2', 'mov.b64 %g0, %d0', 'mov.b32 {%h0, %h1}, %r0', 'setp.lt.s32 %p0, %r0, %r1', 'setp.gt.f32 %p1, %f0, 0f00000000']: b.put(line)
    b.depth = 1; b.block(6 + rng.below(14), False)
    if result == 'b32':
        b.put('mov.b32 %t0, {%h0, %h1}'); b.put('xor.b32 %t0, %t0, %r0'); b.put('mov.b64 {%t1, %t2}, %g0'); b.put(f'selp.b32 %t1, %f0, %t2, %p0'); b.put('xor.b32 %t0, %t0, %t1'); b.put('st.param.b32 [ret0], %t0')
    else: b.put('mov.b64 %w0, {%r1, %f1}'); b.put('selp.b64 %w0, %w0, %d1, %p1'); b.put('xor.b64 %w0, %w0, %g0'); b.put('st.param.b64 [ret0], %w0')
    b.put('ret')
    return f'.func (.param .{result} ret0) {name}(.param .b32 a, .param .b32 b, .param .b64 c)\n{{\n' + b.declarations() + '\n' + '\n'.join(b.lines) + '\n}\n', b.size

def program(seed):
    """The text of program `seed`, its grid and its CTA."""
    rng = Rng(seed); block, grid = rng.of(SHAPES), rng.of(GRIDS)
    threads = 1
    for x in block: threads *= x
    table = lambda: ', '.join('0x%08x' % (word(seed, 1 << 20 | rng.below(1 << 16))) for _ in range(32))
    text = f'.version 9.0\n.target sm_90a\n.address_size 64\n.const .align 16 .b32 tab[32] = {{{table()}}};\n.global .align 16 .b32 gtab[32] = {{{table()}}};\n'
    callees = []
    for i in range(rng.below(4)):
        result = rng.of(['b32', 'b32', 'b64']); body, _ = function(rng, f'f{i}', result, callees); text += body; callees.append((f'f{i}', result))
    b = Body(rng, {'r': 5, 'f': 4, 'd': 2, 'g': 2, 'h': 2, 'x': 1, 'p': 4}, threads, callees, True); b.uses_local = False
    size = 20 + rng.below(90); reduces = rng.chance(30); at = rng.below(size)
    b.block(at, True)
    if reduces: b.reduce()
    b.block(size - at, True)
    early = rng.chance(20)
    for line in store(b) if not early else []: b.put(line)
    if early:            # some threads end before the others, which change their registers once more
        end = b.label(); b.condition(); b.put(f'@%q0 bra {end}')
        for line in store(b): b.put(line)
        b.put(rng.of(['ret', 'exit'])); b.mark(end); b.depth = 2; b.block(6, False)
        for line in store(b): b.put(line)
    b.put('ret')
    head = ['ld.param.u64 %in, [in]', 'ld.param.u64 %out, [out]', 'ld.param.u32 %n, [n]', 'cvta.to.global.u64 %in, %in', 'cvta.to.global.u64 %out, %out',
            'mov.u32 %t0, %tid.z', 'mov.u32 %t1, %ntid.y', 'mov.u32 %t2, %tid.y', 'mad.lo.u32 %t0, %t0, %t1, %t2', 'mov.u32 %t1, %ntid.x', 'mov.u32 %t2, %tid.x', 'mad.lo.u32 %lt, %t0, %t1, %t2',
            'mov.u32 %t0, %ctaid.y', 'mov.u32 %t1, %nctaid.x', 'mov.u32 %t2, %ctaid.x', 'mad.lo.u32 %t0, %t0, %t1, %t2', f'mad.lo.u32 %t0, %t0, {threads}, %lt',
            f'mad.wide.u32 %tail, %n, {4 * OUT}, %out', f'mad.wide.u32 %in, %t0, {4 * IN}, %in', f'mad.wide.u32 %out, %t0, {4 * OUT}, %out',
            'ld.global.v4.b32 {%r0, %r1, %r2, %r3}, [%in]', 'ld.global.nc.v4.f32 {%f0, %f1, %f2, %f3}, [%in+16]', 'ld.global.b64 %d0, [%in+32]', 'ld.global.f64 %g0, [%in+40]', 'ld.global.v2.u16 {%h0, %h1}, [%in+4]',
            'xor.b32 %r4, %t0, %n', 'mul.wide.s32 %d1, %r0, %r1', 'cvt.f64.f32 %g1, %f1', 'mov.b32 %x0, %r3', 'setp.lt.s32 %p0, %r0, %r1', 'setp.gt.f32 %p1, %f0, %f1', 'setp.eq.u64 %p2, %d0, %d1', 'setp.nan.f64 %p3, %g0, %g0',
            'mov.u32 %box, box', 'mov.u32 %own, own', 'mad.lo.u32 %own, %lt, 8, %own', 'mov.b64 %w0, {%r2, %r3}', 'st.shared.b64 [%own], %w0']
    extra = ''
    if b.uses_local:
        extra = '  .local .align 16 .b8 loc[64]; .reg .b64 %loc;\n'
        head += ['mov.u64 %loc, loc', 'st.local.v4.b32 [loc], {%r0, %r1, %r2, %r3}', 'st.local.v4.b32 [loc+16], {%f0, %f1, %f2, %f3}', 'st.local.v2.b64 [%loc+32], {%d0, %g0}', 'st.local.v2.b64 [loc+48], {%d1, %g1}']
    text += f'.visible .entry k(.param .u64 out, .param .u64 in, .param .u32 n)\n{{\n' + b.declarations() + f'\n  .reg .b64 %in, %out, %tail; .reg .b32 %n, %lt, %box, %own;\n  .shared .align 16 .b8 box[{16 * threads}]; .shared .align 16 .b8 own[{8 * threads}];\n' + extra
    text += ''.join(f'  {line};\n' for line in head) + '\n'.join(b.lines) + '\n}\n'
    return text, grid, block

def store(b):
    """All registers of a thread into its row."""
    bits = ['selp.b32 %t0, 1, 0, %p0'] + [f'selp.b32 %t1, {1 << k}, 0, %p{k}; or.b32 %t0, %t0, %t1' for k in range(1, 4)]
    return [x for line in bits for x in line.split('; ')] + ['mov.b32 %t1, {%h0, %h1}', 'st.global.v4.b32 [%out], {%r0, %r1, %r2, %r3}', 'st.global.v2.b32 [%out+16], {%r4, %t0}', 'st.global.v2.b32 [%out+24], {%x0, %t1}',
            'st.global.v4.f32 [%out+32], {%f0, %f1, %f2, %f3}', 'st.global.v2.b64 [%out+48], {%d0, %d1}', 'st.global.v2.f64 [%out+64], {%g0, %g1}']
