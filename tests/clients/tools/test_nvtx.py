"""Ranges of Python's nvtx in the lines of `--stats` and in findings."""

import json
import os
import re
import subprocess
import sys

PROGRAM = r"""
import ctypes, sys, threading
import nvtx
from cuda.bindings import driver

PTX = b".version 8.0\n.target sm_90\n.address_size 64\n.visible .entry k(.param .u64 p) { .reg .b64 %a; ld.param.u64 %a,[p]; st.global.u32 [%a],1; ret; }\0"
driver.cuInit(0)
context = driver.cuDevicePrimaryCtxRetain(0)[1]
driver.cuCtxSetCurrent(context)
kernel = driver.cuModuleGetFunction(driver.cuModuleLoadData(PTX)[1], b"k")[1]
memory = driver.cuMemAlloc(64)[1]

def launch(blocks, address=memory):
    driver.cuLaunchKernel(kernel, blocks, 1, 1, 1, 1, 1, 0, 0, ((int(address),), (ctypes.c_uint64,)), 0)

launch(1)
with nvtx.annotate("outer"):
    launch(2)
    with nvtx.annotate("inner \u00e9", domain="mylib"):
        launch(3)
    started = nvtx.start_range("started")
    launch(4)
    other = threading.Thread(target=lambda: (driver.cuCtxSetCurrent(context), launch(5)))
    other.start(); other.join()
    nvtx.end_range(started)
    launch(6)
    nvtx.pop_range()          # There is another than that of `annotate`.
    nvtx.push_range("again")
    stream = driver.cuStreamCreate(1)[1]
    driver.cuStreamBeginCapture(stream, driver.CUstreamCaptureMode.CU_STREAM_CAPTURE_MODE_RELAXED)
    driver.cuLaunchKernel(kernel, 7, 1, 1, 1, 1, 1, 0, stream, ((int(memory),), (ctypes.c_uint64,)), 0)
    graph = driver.cuGraphInstantiate(driver.cuStreamEndCapture(stream)[1], 0)[1]
with nvtx.annotate("graph"):
    driver.cuGraphLaunch(graph, stream)
driver.cuCtxSynchronize()
with nvtx.annotate("bad", domain="mylib"):
    launch(8, 16)
    driver.cuCtxSynchronize()
"""


def test_launches_and_findings_say_in_which_ranges_they_were(tmp_path):
    report = tmp_path / "report"
    environment = {**os.environ, "PTXVM_STATS": "1", "PTXVM_REPORT": str(report)}
    ran = subprocess.run([sys.executable, "-c", PROGRAM], env=environment, capture_output=True, text=True)
    assert ran.returncode == 0, ran.stderr
    found = {int(line[1]): line[2] for line in re.finditer(r"ptxvm: k grid \((\d),1,1\).*? [nµm]?s(?:, in (.*))?$", ran.stderr, re.M)}
    assert found == {
        1: None,
        2: 'range "outer"',
        3: 'ranges "outer", "inner é" of mylib',
        4: 'ranges "started", "outer"',
        5: 'range "started"',
        6: 'range "outer"',
        7: 'range "graph"',
    }
    assert 'the launch was in range "bad" of mylib' in ran.stderr
    (finding,) = [one for one in map(json.loads, report.read_text().splitlines()) if one["kind"] == "finding"]
    assert finding["ranges"] == [{"domain": "mylib", "message": "bad"}]
