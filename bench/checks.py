"""What each check costs: the six kernels of `machine/kernels/six.ptx`, of the sizes of racecheck.py, interpreted on one thread,
as multiples of the time without checks. All take turns, and the least of five runs counts.

    cargo build --release && python bench/checks.py [target/release/ptxvm]
"""

import json
import math
import pathlib
import subprocess
import sys

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


def main():
    program = sys.argv[1] if len(sys.argv) > 1 else "target/release/ptxvm"
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
