"""Runs a client's own tests from a checkout of its sources, and compares the failures with those we know of.

    python run.py CLIENT CHECKOUT [--only PATTERN] [--workers N] [--limit SECONDS] [--log FILE]

CLIENT is drjit or taichi; CLIENT/expected.txt beside this folder names what fails and why. Each file of tests is run by
pytest in a process of its own. A process ends after a test that failed, since the error that a kernel leaves in a context
stays there, and a new one goes on with what is left; so a test that crashes or hangs is seen as just that and stops nobody
else. The exit code is 1 if a test fails that is not on the list, or passes that is.
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

    def __init__(self, files, client, only, limit, log):
        self.client = client
        self.only = only
        self.limit = limit
        self.log = log
        self.lock = threading.Lock()
        self.outcomes = {}
        self.work = queue.Queue()
        for file in files:
            self.work.put(file)

    def note(self, test, outcome, seconds, text=""):
        with self.lock:
            self.outcomes[test] = (outcome, text)
            if self.log:
                self.log.write(json.dumps({"test": test, "outcome": outcome, "seconds": round(seconds, 3), "text": text}) + "\n")
                self.log.flush()

    def loop(self):
        while True:
            try:
                file = self.work.get_nowait()
            except queue.Empty:
                return
            began, done = time.monotonic(), set()
            while self.run(file, done):
                pass
            with self.lock:
                counts = collections.Counter(self.outcomes[test][0] for test in done)
                told = ", ".join(f"{count} {outcome}" for outcome, count in sorted(counts.items()))
                print(f"{file.name}: {told or 'no tests'} ({time.monotonic() - began:.0f} s)", flush=True)

    def run(self, file, done):
        """Runs the tests of a file that are not done; whether some are left."""
        with tempfile.TemporaryDirectory() as folder:
            wanted, heard = pathlib.Path(folder, "wanted.json"), pathlib.Path(folder, "heard")
            wanted.write_text(json.dumps({"done": sorted(done), "only": self.only, "goes_on": self.client.goes_on}))
            reading, writing = os.pipe()
            environment = {**os.environ, **self.client.environment, "PTXVM_TEST_WANTED": str(wanted), "PTXVM_TEST_CHANNEL": str(writing)}
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

    def listen(self, process, reading, file, done, heard):
        buffer, current, since, allowed = b"", None, time.monotonic(), COLLECTION

        def end(outcome, text):
            last = heard.read_text(errors="replace")[-4000:]
            test = current or f"{file.name}::(collection)"
            done.add(test)
            self.note(test, outcome, time.monotonic() - since, f"{text}\n{last}")
            return current is not None

        while True:
            ready, _, _ = select.select([reading], [], [], max(0, allowed - (time.monotonic() - since)))
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
                    self.note(message["test"], message["outcome"], time.monotonic() - since, message["text"])
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
    parser.add_argument("--limit", type=float, default=900, help="seconds that one test may take")
    parser.add_argument("--log", help="a file for all outcomes, one JSON object a line")
    arguments = parser.parse_args()

    client = CLIENTS[arguments.client]
    folder = (arguments.checkout / client.folder).resolve()
    files = sorted(folder.glob("test_*.py"), key=lambda file: -file.stat().st_size)
    if not files:
        sys.exit(f"{folder} has no tests")
    expected = load(HERE.parent / arguments.client)
    start = time.monotonic()
    runner = Runner(files, client, arguments.only, arguments.limit, open(arguments.log, "w") if arguments.log else None)
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
    stale = [name for name in expected if not any(matches(test, name) for test in bad)] if not arguments.only else []
    for name in stale:
        print(f"expected to fail, but passed or is gone: {name}")
    print(f"{arguments.client}: {len(runner.outcomes)} tests in {time.monotonic() - start:.0f} s: " +
          ", ".join(f"{count} {outcome}" for outcome, count in sorted(counts.items())) +
          f"; {len(bad) - len(new)} failures are expected, {len(new)} are not")
    sys.exit(1 if new or stale or not runner.outcomes else 0)


if __name__ == "__main__":
    main()
