"""Runs a client's own tests from a checkout of its sources, and compares the failures with those we know of.

    python run.py CLIENT CHECKOUT [--only PATTERN] [--workers N] [--parts N] [--limit SECONDS] [--for SECONDS]
           [--skip LOG] [--log FILE]

CLIENT is drjit or taichi; CLIENT/expected.txt beside this folder names what fails and why. Each file of tests, or each part
of one (--parts: a few files have most tests), is run by pytest in a process of its own. A process ends after a test that
failed, since the error that a kernel leaves in a context stays there, and a new one goes on with what is left; so a test that
crashes or hangs is seen as just that and stops nobody else. The exit code is 1 if a test fails that is not on the list, or
passes that is.
"""

import argparse
import collections
import dataclasses
import json
import os
import pathlib
import queue
import select
import signal
import subprocess
import sys
import tempfile
import threading
import time

HERE = pathlib.Path(__file__).parent
sys.path.insert(0, str(HERE.parent))
from expected import is_expected, load, matches  # noqa: E402

BAD = ("failed", "crash", "hang")
# Importing a client and collecting a file's tests takes longer than most tests.
COLLECTION = 240


@dataclasses.dataclass
class Client:
    """What there is to know of a client's tests."""

    folder: str
    # What the tests want to find in their environment.
    environment: dict
    # Whether the process can go on after a test that failed: Dr.Jit ends it itself if a kernel has left an error.
    goes_on: bool


CLIENTS = {
    "drjit": Client("tests", {}, True),
    # The last: a loop over a sparse field gets as many CTAs as the GPU runs at a time, 8,448, nearly all without work.
    "taichi": Client("tests/python", {"TI_WANTED_ARCHS": "cuda", "TI_OFFLINE_CACHE": "0", "TI_ENABLE_TORCH": "0",
                                      "TI_ENABLE_PADDLE": "0", "TI_SATURATING_GRID_DIM": "256"}, False),
}


class Runner:
    """Hands files of tests to processes and collects what became of each test."""

    def __init__(self, files, client, only, parts, limit, seconds, skipped, log):
        self.client = client
        self.only = only
        self.limit = limit
        self.log = log
        self.lock = threading.Lock()
        # When no test is begun any more.
        self.end = time.monotonic() + seconds
        self.skipped = skipped
        self.outcomes = {}
        self.work = queue.Queue()
        for file in files:
            for part in range(parts):
                self.work.put((file, part, parts))

    def note(self, test, outcome, seconds, text="", findings=()):
        with self.lock:
            self.outcomes[test] = (outcome, text)
            if self.log:
                self.log.write(json.dumps({"test": test, "outcome": outcome, "seconds": round(seconds, 3), "text": text,
                                           "findings": findings}) + "\n")
                self.log.flush()

    def loop(self):
        while True:
            try:
                file, part, parts = self.work.get_nowait()
            except queue.Empty:
                return
            if time.monotonic() >= self.end:
                return
            began, done = time.monotonic(), set(self.skipped)
            while self.run(file, [part, parts], done):
                pass
            with self.lock:
                counts = collections.Counter(self.outcomes[test][0] for test in done - self.skipped)
                told = ", ".join(f"{count} {outcome}" for outcome, count in sorted(counts.items()))
                which = f" ({part + 1} of {parts})" if parts > 1 else ""
                print(f"{file.name}{which}: {told or 'no tests'} ({time.monotonic() - began:.0f} s)", flush=True)

    def run(self, file, part, done):
        """Runs the tests of a part of a file that are not done; whether some are left."""
        with tempfile.TemporaryDirectory() as folder:
            wanted, heard, found = (pathlib.Path(folder, name) for name in ("wanted.json", "heard", "found"))
            found.touch()
            wanted.write_text(json.dumps({"done": sorted(done), "only": self.only, "part": part, "goes_on": self.client.goes_on}))
            reading, writing = os.pipe()
            environment = {**os.environ, **self.client.environment, "PTXVM_TEST_WANTED": str(wanted), "PTXVM_TEST_CHANNEL": str(writing),
                           "PTXVM_REPORT": str(found)}
            environment["PYTHONPATH"] = os.pathsep.join(p for p in (str(HERE), os.environ.get("PYTHONPATH")) if p)
            # The folder is not the checkout's: Python would import the client from there.
            command = [sys.executable, "-m", "pytest", "-q", "--tb=short", "-p", "no:cacheprovider", "-p", "outcomes", str(file)]
            with open(heard, "w") as output:
                process = subprocess.Popen(command, cwd=folder, env=environment, stdout=output, stderr=output, pass_fds=[writing],
                                           start_new_session=True)
            os.close(writing)
            try:
                return self.listen(process, reading, file, done, heard)
            finally:
                os.close(reading)
                # Programs that a test has started and left.
                try:
                    os.killpg(process.pid, signal.SIGKILL)
                except ProcessLookupError:
                    pass
                process.wait()
                self.pass_on(found)

    def pass_on(self, found):
        """Gives what was found in a process to the report of the `ptxvm exec` around us."""
        if report := os.environ.get("PTXVM_REPORT"):
            with self.lock, open(report, "ab") as file:
                file.write(found.read_bytes())

    def listen(self, process, reading, file, done, heard):
        buffer, current, since, allowed = b"", None, time.monotonic(), COLLECTION

        def end(outcome, text):
            last = heard.read_text(errors="replace")[-4000:]
            test = current or f"{file.name}::(collection)"
            done.add(test)
            self.note(test, outcome, time.monotonic() - since, f"{text}\n{last}")
            return current is not None

        while True:
            left = min(allowed - (time.monotonic() - since), self.end - time.monotonic())
            ready, _, _ = select.select([reading], [], [], max(0, left))
            if not ready and time.monotonic() >= self.end:
                return False
            if not ready:
                return end("hang", f"no answer after {allowed} s")
            chunk = os.read(reading, 1 << 16)
            if not chunk:
                code = process.wait()
                # 5: pytest found no test that is wanted.
                return end("crash", f"exit code {code}") if current or code not in (0, 1, 5) else False
            *lines, buffer = (buffer + chunk).split(b"\n")
            for line in lines:
                message = json.loads(line)
                if message["what"] == "begin":
                    current, since, allowed = message["test"], time.monotonic(), self.limit
                elif message["what"] == "end":
                    done.add(message["test"])
                    self.note(message["test"], message["outcome"], time.monotonic() - since, message["text"], message["findings"])
                    current, since, allowed = None, time.monotonic(), COLLECTION
                elif message["what"] == "failed":
                    # The process is about to end; others follow.
                    return True


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("client", choices=CLIENTS)
    parser.add_argument("checkout", type=pathlib.Path)
    parser.add_argument("--only", default="", help="only tests in whose name this pattern is found")
    parser.add_argument("--workers", type=int, default=os.cpu_count())
    parser.add_argument("--parts", type=int, default=1, help="into how many processes a file's tests are divided")
    parser.add_argument("--limit", type=float, default=900, help="seconds that one test may take")
    parser.add_argument("--for", dest="seconds", type=float, default=1e9, help="seconds after which tests are broken off")
    parser.add_argument("--skip", type=pathlib.Path, help="a log of tests that need not be run again")
    parser.add_argument("--log", help="a file for all outcomes, one JSON object a line")
    arguments = parser.parse_args()

    client = CLIENTS[arguments.client]
    folder = (arguments.checkout / client.folder).resolve()
    files = sorted(folder.glob("test_*.py"), key=lambda file: -file.stat().st_size)
    if not files:
        sys.exit(f"{folder} has no tests")
    expected = load(HERE.parent / arguments.client)
    start = time.monotonic()
    skipped = {json.loads(line)["test"] for line in open(arguments.skip)} if arguments.skip else set()
    runner = Runner(files, client, arguments.only, arguments.parts, arguments.limit, arguments.seconds, skipped, open(arguments.log, "w") if arguments.log else None)
    threads = [threading.Thread(target=runner.loop) for _ in range(arguments.workers)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    counts = collections.Counter(outcome for outcome, _ in runner.outcomes.values())
    bad = {test: what for test, what in runner.outcomes.items() if what[0] in BAD}
    new = {test: what for test, what in bad.items() if not is_expected(test, expected)}
    for test, (outcome, text) in sorted(new.items()):
        lines = text.strip().splitlines()
        print(f"{outcome}: {test}: {lines[-1][:200] if lines else ''}")
    # A line that no failure needs any more hides the next one.
    stale = [name for name in expected if not any(matches(test, name) for test in bad)] if not arguments.only and not arguments.skip and time.monotonic() < runner.end else []
    for name in stale:
        print(f"expected to fail, but passed or is gone: {name}")
    print(f"{arguments.client}: {len(runner.outcomes)} tests in {time.monotonic() - start:.0f} s: " +
          ", ".join(f"{count} {outcome}" for outcome, count in sorted(counts.items())) +
          f"; {len(bad) - len(new)} failures are expected, {len(new)} are not")
    sys.exit(1 if new or stale or not runner.outcomes else 0)


if __name__ == "__main__":
    main()
