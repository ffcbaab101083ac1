"""Runs Numba's tests by name, for run.py: lists of names come in on standard input, outcomes go out as JSON lines."""

import ctypes
import json
import os
import sys
import unittest

import pytest

# What `pytest.skip` raises: some of Numba's tests use it, which unittest would take for an error.
SKIPPED = pytest.skip.Exception


# What the kernels of one worker may take of the host's memory.
MEMORY = "6G"


class Loader(unittest.TestLoader):
    """Leaves out the modules that need what is not installed."""

    def loadTestsFromName(self, name, module=None):
        try:
            return super().loadTestsFromName(name, module)
        except SKIPPED:
            return unittest.TestSuite()


def flatten(suite):
    for test in suite:
        if isinstance(test, unittest.TestSuite):
            yield from flatten(test)
        else:
            yield test


def load():
    from numba.cuda import tests

    return list(flatten(tests.load_tests(Loader(), unittest.TestSuite(), None)))


class Reporter(unittest.TestResult):
    """Says what becomes of each test as soon as it is known."""

    def __init__(self, send):
        super().__init__()
        self.send = send
        self.outcome = None
        self.outside = ("", "")

    def startTest(self, test):
        super().startTest(test)
        self.outcome = ("passed", "")
        self.send(what="begin", test=test.id())

    def stopTest(self, test):
        super().stopTest(test)
        outcome, text = self.outcome
        error = context_error()
        if error and outcome not in ("failed", "error"):
            outcome, text = "failed", f"passed, but a kernel of its left error {error} behind"
        self.send(what="end", test=test.id(), outcome=outcome, text=text)
        if error:
            os._exit(1)
        self.outcome = None

    def set(self, test, outcome, text=""):
        if self.outcome is None:
            self.outside = (outcome, text)
        elif self.outcome[0] not in ("failed", "error"):
            self.outcome = (outcome, text)

    def addFailure(self, test, error):
        self.set(test, "failed", self._exc_info_to_string(error, test))

    def addError(self, test, error):
        if issubclass(error[0], SKIPPED):
            self.set(test, "skipped", str(error[1]))
            return
        text = self._exc_info_to_string(error, test)
        if self.outcome is None and type(test).__name__ == "_ErrorHolder":
            self.outside = ("error", text)
        else:
            self.set(test, "error", text)

    def addSkip(self, test, reason):
        self.set(test, "skipped", reason)

    def addExpectedFailure(self, test, error):
        self.set(test, "expected failure")

    def addUnexpectedSuccess(self, test):
        self.set(test, "failed", "passed, though Numba marks it as failing")

    def addSubTest(self, test, subtest, error):
        if error is not None:
            self.set(test, "failed", f"{subtest}\n" + self._exc_info_to_string(error, test))


def context_error():
    """The error that a kernel left in the current context, where it stays: nothing that runs after it would tell us
    anything. Asked of the driver itself, so that Numba does not make a context where a test wants none."""
    driver, context = ctypes.CDLL("libcuda.so.1"), ctypes.c_void_p()
    if driver.cuCtxGetCurrent(ctypes.byref(context)) != 0 or not context:
        return 0
    return driver.cuCtxSynchronize()


def main():
    # Some tests take half of the memory that the device has, and several workers run at a time.
    os.environ.setdefault("PTXVM_MAX_MEMORY", MEMORY)
    # The tests print; our lines go out by a channel of their own. Programs that the tests start inherit neither.
    channel = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)

    def send(**message):
        channel.write("@@" + json.dumps(message) + "\n")
        channel.flush()

    tests = {test.id(): test for test in load()}
    if "--list" in sys.argv:
        for name in tests:
            channel.write(f"found {name}\n")
        channel.flush()
        # Without the interpreter's own way out, which some drivers' threads outlive.
        os._exit(0)
    for line in sys.stdin:
        reporter = Reporter(send)
        unittest.TestSuite(tests[name] for name in json.loads(line)).run(reporter)
        send(what="done", outcome=reporter.outside[0], text=reporter.outside[1])


if __name__ == "__main__":
    main()
