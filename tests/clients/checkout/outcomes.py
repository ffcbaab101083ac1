"""A plugin of pytest for run.py: leaves out the tests that are done or of another backend, and tells of each what became of it
and what ptxvm found meanwhile."""

import json
import os
import re
import types
import zlib

CHANNEL = int(os.environ["PTXVM_TEST_CHANNEL"])
REPORT = os.environ["PTXVM_REPORT"]
reports = {}
wanted = {}
told_of = 0


def send(**message):
    os.write(CHANNEL, (json.dumps(message) + "\n").encode())


def is_of_another_backend(item):
    """Whether a test is of a part of Dr.Jit that needs no GPU: its tests are parametrized with types and modules."""
    values = getattr(getattr(item, "callspec", None), "params", {}).values()
    modules = [v.__name__ if isinstance(v, types.ModuleType) else v.__module__ for v in values if isinstance(v, (types.ModuleType, type))]
    return any(module.split(".")[:2] in (["drjit", "scalar"], ["drjit", "llvm"], ["drjit", "metal"]) for module in modules)


def name_of(nodeid):
    """Without the folder, which depends on where the checkout lies."""
    return nodeid.rsplit("/", 1)[-1] if "[" not in nodeid else nodeid[:nodeid.index("[")].rsplit("/", 1)[-1] + nodeid[nodeid.index("["):]


def is_in(part, name):
    """Whether a test belongs to a part of its file: by its name, so that it stays there when others are done."""
    number, of = part
    return zlib.crc32(name.encode()) % of == number


def pytest_collection_modifyitems(items):
    with open(os.environ["PTXVM_TEST_WANTED"]) as file:
        wanted.update(json.load(file))
    done = set(wanted["done"])
    items[:] = [item for item in items if name_of(item.nodeid) not in done and re.search(wanted["only"], name_of(item.nodeid))
                and is_in(wanted["part"], name_of(item.nodeid)) and not is_of_another_backend(item)]


def new_findings():
    """The lines that libcuda has written to this process's report since the last test."""
    global told_of
    with open(REPORT) as file:
        file.seek(told_of)
        lines = file.readlines()
        told_of = file.tell()
    return [found for found in map(json.loads, lines) if found.get("kind") == "finding"]


def pytest_runtest_logstart(nodeid):
    reports[nodeid] = []
    send(what="begin", test=name_of(nodeid))


def pytest_runtest_logreport(report):
    # A test that is tried again is judged by its last try.
    if report.outcome == "rerun":
        reports[report.nodeid] = []
    else:
        reports[report.nodeid].append(report)


def pytest_runtest_logfinish(nodeid):
    told = reports.pop(nodeid)
    failed = [report for report in told if report.failed]
    skipped = [report for report in told if report.skipped]
    if failed:
        # What ptxvm told of a kernel comes first: the last line is the test's own, which run.py shows.
        outcome, text = "failed", failed[0].capstderr[-4000:] + failed[0].longreprtext
    elif skipped:
        outcome, text = ("expected failure", "") if hasattr(skipped[0], "wasxfail") else ("skipped", str(skipped[0].longrepr[2]))
    else:
        outcome, text = "passed", ""
    send(what="end", test=name_of(nodeid), outcome=outcome, text=text, findings=new_findings())
    if failed and not wanted["goes_on"]:
        send(what="failed")
        os._exit(1)
