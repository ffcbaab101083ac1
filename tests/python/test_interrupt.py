"""Launches that are stopped: by Ctrl-C, by the end of the interpreter; and threads that launch at the same time."""

import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import numpy as np
import pytest

import ptxvm
from kernels import COUNT, ENDLESS, SAXPY

HERE = str(Path(__file__).parent)


def test_ctrl_c_stops_a_launch_and_python_goes_on(tmp_path):
    program = (
        "import ptxvm\nfrom kernels import ENDLESS\nkernel = ptxvm.load(ENDLESS)['endless'][1, 1]\n"
        "try:\n    print('runs', flush=True)\n    kernel()\n"
        "except KeyboardInterrupt:\n    print('stopped', flush=True)\n"
        "print(ptxvm.Device().name)\n"
    )
    child = subprocess.Popen(
        [sys.executable, "-c", program], env={"PYTHONPATH": HERE, "PATH": "/usr/bin"}, stdout=subprocess.PIPE, text=True
    )
    assert child.stdout.readline() == "runs\n"
    time.sleep(0.5)
    child.send_signal(signal.SIGINT)
    out, _ = child.communicate(timeout=60)
    assert out == "stopped\nh200\n" and child.returncode == 0


@pytest.mark.parametrize("end", ["", "import sys; sys.exit(3)", "raise SystemExit(3)"])
def test_the_interpreter_ends_with_launches_under_way(python, end):
    program = (
        "import threading, time, ptxvm\nfrom kernels import ENDLESS\n"
        "kernel = ptxvm.load(ENDLESS)['endless'][1, 1]\n"
        "def again():\n"
        "    while True:\n"
        "        try:\n            kernel()\n"
        "        except Exception:\n            pass\n"
        "for _ in range(4):\n    threading.Thread(target=again, daemon=True).start()\n"
        "time.sleep(0.3)\nprint('ends', flush=True)\n" + end
    )
    done = python(program, status=3 if end else 0)
    assert done.stdout == "ends\n" and "Fatal" not in done.stderr and "panicked" not in done.stderr


def test_python_runs_while_a_kernel_does():
    kernel = ptxvm.load(ENDLESS)["endless"][1, 1]
    seen = []

    def launch():
        with pytest.raises(ptxvm.LimitReached):
            kernel(timeout=1)
        seen.append("ended")

    thread = threading.Thread(target=launch)
    thread.start()
    turns = 0
    while thread.is_alive():
        turns += 1
        time.sleep(0.001)
    assert turns > 50 and seen == ["ended"]


def test_threads_launch_on_one_device_with_the_same_arrays():
    module = ptxvm.load(SAXPY)
    x = np.ones(4096, np.float32)
    results, failed = [np.zeros(4096, np.float32) for _ in range(8)], []

    def launch(result):
        try:
            for turn in range(20):
                # Parts of x overlap with those that other threads use.
                module["saxpy"][16, 128](2000, 1.0, x[turn : turn + 2000], result)
        except BaseException as error:
            failed.append(error)

    threads = [threading.Thread(target=launch, args=(result,)) for result in results]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failed == [] and all((result[:2000] == 20).all() and (result[2000:] == 0).all() for result in results)
    with pytest.raises(ptxvm.Finding):
        module["saxpy"][16, 128](2000, 1.0, x[:1999], results[0])


def test_an_array_that_is_dropped_or_resized_while_a_launch_uses_it():
    text = COUNT.replace("    st.global.u32 [%p], %i;", "again:\n    st.global.u32 [%p], %i;\n    bra again;").replace("    ret;\n", "")
    kernel = ptxvm.load(text)["count"][1, 32]
    data = bytearray(128)
    ended = []

    def launch():
        try:
            kernel(np.frombuffer(data, np.uint32), timeout=1)
        except ptxvm.LimitReached as error:
            ended.append(error.code)

    thread = threading.Thread(target=launch)
    thread.start()
    time.sleep(0.3)
    with pytest.raises(BufferError):
        data.extend(b"x" * 100000)
    del data
    thread.join()
    assert ended == ["time"]
