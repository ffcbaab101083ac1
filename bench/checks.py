"""What each check costs: the six kernels of `machine/kernels/six.ptx`, of the sizes of racecheck.py, interpreted on one thread,
as multiples of the time without checks. All take turns, and the least of five runs counts.

    cargo build --release && python bench/checks.py [target/release/ptxvm]
    python bench/checks.py --memory [target/release/ptxvm]

With --memory, what they take of the host's memory: bytes for each byte that a kernel touches, by the most that the process has
had at a time in two launches of different sizes; and whether large launches are looked at to their end.
"""

import json
import math
import os
import pathlib
import subprocess
import sys
import tempfile
import time

ROUNDS = 5
CHECKS = ("none", "race", "init", "bounds", "sync", "async", "all")


def buffer(count):
    return f"f32[{count}]=rand"


MATRIX, VECTOR = 256, 1 << 21
CASES = {  # kernel: grid, block, arguments
    "vadd": (f"{VECTOR // 256}", "256", [buffer(VECTOR), buffer(VECTOR), f"f32[{VECTOR}]", str(VECTOR)]),
    "sgemm_naive": ("16,16", "16,16", [buffer(MATRIX**2), buffer(MATRIX**2), f"f32[{MATRIX**2}]", str(MATRIX)]),
    "sgemm_tiled": ("16,16", "16,16", [buffer(MATRIX**2), buffer(MATRIX**2), f"f32[{MATRIX**2}]", str(MATRIX)]),
    "reduce": ("4096", "256", [buffer(1 << 20), "f32[4096]", str(1 << 20)]),
    "nbody": ("8", "256", [buffer(8192), buffer(8192), "2048", "0.01"]),
    "mandel": ("32,32", "16,16", [f"u32[{512 * 512}]", "512", "512"]),
}


def seconds(program, kernel, check):
    grid, block, arguments = CASES[kernel]
    file = pathlib.Path(__file__).parent / "machine/kernels/six.ptx"
    command = [program, "run", "--quiet", file, "--entry", kernel, "--grid", grid, "--block", block, "--threads", "1"]
    command += ["--engine", "interpret", f"--check={check}", "--stats", "--format", "json"]
    command += [word for argument in arguments for word in ("--arg", argument)]
    output = subprocess.run(command, capture_output=True, text=True)
    objects = [json.loads(line) for line in output.stdout.splitlines()]
    found = next((o for o in objects if o["kind"] == "statistics"), None)
    if found is None or output.returncode:
        raise SystemExit(f"{kernel} with --check={check}: {output.stdout}{output.stderr}")
    return found["seconds"]


# Kernels that touch each byte of their buffers once, and those of shared memory that CTAs fill.
TOUCHING = """
.version 8.0
.target sm_90
.address_size 64
.extern .shared .align 16 .b8 room[];
.visible .entry words(.param .u64 .ptr .global x, .param .u64 .ptr .global y) {
    .reg .b32 %i, %n, %v; .reg .b64 %x, %y, %d;
    ld.param.u64 %x, [x]; ld.param.u64 %y, [y];
    mov.u32 %i, %ctaid.x; mov.u32 %n, %ntid.x; mov.u32 %v, %tid.x; mad.lo.u32 %i, %i, %n, %v;
    mul.wide.u32 %d, %i, 4; add.u64 %x, %x, %d; add.u64 %y, %y, %d;
    ld.global.u32 %v, [%x]; st.global.u32 [%y], %v;
    ret;
}
.visible .entry bytes(.param .u64 .ptr .global x, .param .u64 .ptr .global y) {
    .reg .b32 %i, %n, %v; .reg .b64 %x, %y, %d;
    ld.param.u64 %x, [x]; ld.param.u64 %y, [y];
    mov.u32 %i, %ctaid.x; mov.u32 %n, %ntid.x; mov.u32 %v, %tid.x; mad.lo.u32 %i, %i, %n, %v;
    cvt.u64.u32 %d, %i; add.u64 %x, %x, %d; add.u64 %y, %y, %d;
    ld.global.u8 %v, [%x]; st.global.u8 [%y], %v;
    ret;
}
.visible .entry shared(.param .u32 bytes) {
    .reg .b32 %i, %n, %b, %at, %v; .reg .pred %p;
    ld.param.u32 %b, [bytes]; mov.u32 %i, %tid.x; mov.u32 %n, %ntid.x; shl.b32 %i, %i, 2; shl.b32 %n, %n, 2;
AGAIN:
    mov.u32 %at, room; add.u32 %at, %at, %i; st.shared.u32 [%at], %i; ld.shared.u32 %v, [%at];
    add.u32 %i, %i, %n; setp.lt.u32 %p, %i, %b; @%p bra AGAIN;
    ret;
}
.visible .entry endless(.param .u64 .ptr .global x) {
    .reg .b32 %i, %n, %v; .reg .b64 %x, %at, %d;
    ld.param.u64 %x, [x]; mov.u32 %i, %ctaid.x; mov.u32 %n, %ntid.x; mov.u32 %v, %tid.x; mad.lo.u32 %i, %i, %n, %v;
AGAIN:
    add.u32 %i, %i, 12347; and.b32 %i, %i, 1048575; mul.wide.u32 %d, %i, 4; add.u64 %at, %x, %d;
    st.global.u32 [%at], %i;
    bra AGAIN;
}
.visible .entry racy(.param .u64 .ptr .global x) {
    .reg .b32 %i, %v; .reg .b64 %x, %d;
    ld.param.u64 %x, [x]; mov.u32 %i, %tid.x; and.b32 %i, %i, 31; mul.wide.u32 %d, %i, 4; add.u64 %x, %x, %d;
    mov.u32 %v, %ctaid.x; st.global.u32 [%x], %v;
    ret;
}
"""


def ran(program, source, check, entry, grid, block, arguments, more=()):
    """The most memory of a process that launches a kernel, in bytes, how long it took, and what it said."""
    command = [program, "run", "--quiet", source, "--entry", entry, "--grid", str(grid), "--block", str(block)]
    command += ["--threads", "1", "--engine", "interpret", f"--check={check}", "--format", "json", *more]
    command += [word for argument in arguments for word in ("--arg", argument)]
    begun = time.monotonic()
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    said = process.stdout.read()
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    objects = [json.loads(line) for line in said.splitlines() if line.startswith("{")]
    return usage.ru_maxrss * 1024, time.monotonic() - begun, process.returncode, objects


def grows_by(program, source, check, shape):
    """Bytes of the process for each byte that the kernel touches, beside what it takes without the check."""
    peaks = []
    for scale in (1, 2):
        entry, grid, block, arguments, more, touched = shape(scale)
        with_check, _, code, objects = ran(program, source, check, entry, grid, block, arguments, more)
        if code or any(one["kind"] != "result" for one in objects):
            raise SystemExit(f"{entry} with --check={check}: {code}, {objects}")
        peaks.append((touched, with_check - ran(program, source, "none", entry, grid, block, arguments, more)[0]))
    (small, at_first), (large, then) = peaks
    return (then - at_first) / (large - small)


MIB = 1 << 20
SHAPES = {  # what is touched: by scale, the entry, the grid, the block, the arguments, more options, how many bytes
    "words": lambda s: ("words", 16384 * s, 256, [f"u32[{4 * MIB * s}]", f"u32[{4 * MIB * s}]"], [], 32 * MIB * s),
    "bytes": lambda s: ("bytes", 16384 * s, 256, [f"u8[{4 * MIB * s}]", f"u8[{4 * MIB * s}]"], [], 8 * MIB * s),
}


def memory(program):
    with tempfile.NamedTemporaryFile("w", suffix=".ptx") as file:
        file.write(TOUCHING)
        file.flush()
        print("bytes for each byte touched")
        for name, shape in SHAPES.items():
            each = [f"{check} {grows_by(program, file.name, check, shape):.2f}" for check in ("race", "init", "all")]
            print(f"  {name:8}" + ", ".join(each), flush=True)
        print("large launches with --check")
        for name, entry, grid, block, arguments, more in (
            ("65,536 CTAs", "words", 65536, 256, [f"u32[{16 * MIB}]"] * 2, []),
            ("65,536 CTAs with shared memory", "shared", 65536, 256, ["16384"], ["--shared", "16384"]),
            ("1,048,576 CTAs", "words", 1 << 20, 32, [f"u32[{32 * MIB}]"] * 2, []),
            ("four million races", "racy", 1 << 17, 32, ["u32[32]"], []),
            ("a GiB, and 4 in all", "words", 1 << 19, 256, [f"u32[{128 * MIB}]"] * 2, ["--max-memory", "4G", "--timeout", "90s"]),
            ("one that never ends", "endless", 64, 256, [f"u32[{MIB}]"], ["--timeout", "5s"]),
        ):
            peak, took, code, objects = ran(program, file.name, "all", entry, grid, block, arguments, more)
            told = [one.get("code") or one["kind"] for one in objects if one["kind"] != "result"]
            count = sum(one.get("count", 0) for one in objects)
            said = ", ".join(sorted(set(told))) or "nothing is told"
            print(f"  {name}: exit {code} after {took:.1f} s, {peak / MIB:.0f} MiB; {said}; {count} in all", flush=True)


def main():
    arguments = sys.argv[1:]
    if arguments[:1] == ["--memory"]:
        return memory(arguments[1] if len(arguments) > 1 else "target/release/ptxvm")
    program = arguments[0] if arguments else "target/release/ptxvm"
    print(f"{'':12}" + "".join(f"{check:>8}" for check in CHECKS[1:]))
    ratios = {check: [] for check in CHECKS[1:]}
    for kernel in CASES:
        least = dict.fromkeys(CHECKS, math.inf)
        for _ in range(ROUNDS):
            for check in CHECKS:
                least[check] = min(least[check], seconds(program, kernel, check))
        for check, all_of_check in ratios.items():
            all_of_check.append(least[check] / least["none"])
        print(f"{kernel:12}" + "".join(f"{ratios[check][-1]:8.1f}" for check in ratios), flush=True)
    means = {check: math.exp(sum(map(math.log, some)) / len(some)) for check, some in ratios.items()}
    print(f"{'mean':12}" + "".join(f"{means[check]:8.1f}" for check in ratios))


main()
