"""Runs numba-cuda's own tests, which its wheel carries, and compares the failures with those we know of.

    python run.py [--all] [--each-class N] [--only WORD] [--workers N] [--limit SECONDS] [--log FILE]

Tests run in worker processes, class by class, so that a test that crashes or hangs is seen as just that and stops
nobody else. Without --all a part is run that takes a few minutes: every class, but of each class with many tests only
some (see `choose`). The exit code is 1 if a test failed, crashed or hung that expected.txt does not name.
"""

import argparse
import collections
import json
import os
import pathlib
import queue
import re
import subprocess
import sys
import threading
import time

HERE = pathlib.Path(__file__).parent
sys.path.insert(0, str(HERE.parent))
from expected import is_expected, load  # noqa: E402


def discover():
    """The names of all tests, asked of a process of its own: finding them asks the driver."""
    answer = subprocess.run([sys.executable, HERE / "worker.py", "--list"], capture_output=True, text=True, timeout=300)
    names = [line[6:] for line in answer.stdout.splitlines() if line.startswith("found ")]
    if answer.returncode != 0 or not names:
        sys.exit(f"no tests found:\n{answer.stdout}\n{answer.stderr}")
    return names


def choose(names, most):
    """A part of the suite that meets every class: the first tests of each, which are its plainest."""
    seen = collections.Counter()
    chosen = []
    for name in names:
        group = name.rpartition(".")[0]
        seen[group] += 1
        if seen[group] <= most:
            chosen.append(name)
    return chosen


class Runner:
    """Hands classes of tests to workers and collects what became of each test."""

    def __init__(self, names, limit, log):
        self.limit = limit
        self.log = log
        self.lock = threading.Lock()
        self.outcomes = {}
        self.work = queue.Queue()
        groups = collections.OrderedDict()
        for name in names:
            groups.setdefault(name.rpartition(".")[0], []).append(name)
        for group in sorted(groups.values(), key=len, reverse=True):
            self.work.put(group)

    def note(self, name, outcome, seconds, text=""):
        with self.lock:
            self.outcomes[name] = (outcome, seconds, text)
            if self.log:
                self.log.write(json.dumps({"test": name, "outcome": outcome, "seconds": round(seconds, 3), "text": text}) + "\n")
                self.log.flush()
            if len(self.outcomes) % 100 == 0:
                print(f"{len(self.outcomes)} tests run", flush=True)

    def loop(self):
        worker = None
        while True:
            try:
                group = self.work.get_nowait()
            except queue.Empty:
                break
            while group:
                if worker is None or worker.over():
                    worker = Worker()
                group = worker.run(group, self)
        if worker:
            worker.stop()


class Worker:
    """One process that runs tests. It ends itself when its context is spoilt, and a new one takes over."""

    def __init__(self):
        self.process = subprocess.Popen([sys.executable, HERE / "worker.py"], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                        stderr=subprocess.PIPE, text=True, errors="replace")
        self.messages = queue.Queue()
        self.stderr = collections.deque(maxlen=60)
        self.readers = [threading.Thread(target=self.read, daemon=True), threading.Thread(target=self.read_errors, daemon=True)]
        for reader in self.readers:
            reader.start()

    def read(self):
        for line in self.process.stdout:
            if line.startswith("@@"):
                self.messages.put(json.loads(line[2:]))
        self.messages.put(None)

    def read_errors(self):
        for line in self.process.stderr:
            self.stderr.append(line)

    def over(self):
        return self.process.poll() is not None

    def run(self, group, runner):
        """Runs the tests of one class; gives back those that are left when the process ends early."""
        left = list(group)
        try:
            self.process.stdin.write(json.dumps(group) + "\n")
            self.process.stdin.flush()
        except OSError:
            return left
        current, since, first = None, time.monotonic(), True
        while True:
            # The first message waits for Python to import Numba and its tests.
            allowed = runner.limit + (120 if first else 0)
            try:
                message = self.messages.get(timeout=max(0.1, allowed - (time.monotonic() - since)))
            except queue.Empty:
                self.process.kill()
                self.process.wait()
                stuck = current or left[0]
                runner.note(stuck, "hang", runner.limit, "".join(self.stderr))
                return left[left.index(stuck) + 1:]
            first = False
            if message is None:
                code = self.process.wait()
                if current:
                    runner.note(current, "crash", time.monotonic() - since, f"exit code {code}\n" + "".join(self.stderr))
                    return left[left.index(current) + 1:]
                if code != 0 and left == group:
                    runner.note(left[0], "crash", 0, f"exit code {code} before the first test\n" + "".join(self.stderr))
                    return left[1:]
                return left
            if message["what"] == "begin":
                current, since = message["test"], time.monotonic()
            elif message["what"] == "end":
                runner.note(message["test"], message["outcome"], time.monotonic() - since, message["text"])
                if message["test"] in left:
                    left.remove(message["test"])
                current, since = None, time.monotonic()
            else:
                # Tests that a class or module setup skipped or failed send no message of their own.
                for name in left:
                    runner.note(name, message["outcome"] or "skipped", 0, message["text"])
                return []

    def stop(self):
        self.process.stdin.close()
        try:
            self.process.wait(timeout=30)
        except subprocess.TimeoutExpired:
            self.process.kill()


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--all", action="store_true", help="every test, not only a part")
    parser.add_argument("--each-class", type=int, default=4, help="without --all: how many tests of each class")
    parser.add_argument("--only", help="only tests whose name contains this")
    parser.add_argument("--workers", type=int, default=os.cpu_count())
    # Numba alone takes 35 s to compile what its slowest test launches; a machine that others use takes four times that.
    parser.add_argument("--limit", type=float, default=600, help="seconds that one test may take")
    parser.add_argument("--log", help="a file for all outcomes, one JSON object a line")
    arguments = parser.parse_args()

    expected = load(HERE)
    names = discover()
    total = len(names)
    if not arguments.all:
        names = choose(names, arguments.each_class)
    if arguments.only:
        names = [name for name in names if re.search(arguments.only, name)]
    start = time.monotonic()
    runner = Runner(names, arguments.limit, open(arguments.log, "w") if arguments.log else None)
    threads = [threading.Thread(target=runner.loop) for _ in range(arguments.workers)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    counts = collections.Counter(outcome for outcome, _, _ in runner.outcomes.values())
    bad = {name: what for name, what in runner.outcomes.items() if what[0] in ("failed", "error", "crash", "hang")}
    new = {name: what for name, what in bad.items() if what[0] in ("crash", "hang") or not is_expected(name, expected)}
    missing = [name for name in names if name not in runner.outcomes]
    for name, (outcome, _, text) in sorted(new.items()):
        last = text.strip().splitlines()[-1] if text.strip() else ""
        print(f"{outcome}: {name}: {last[:200]}")
    for name in missing:
        print(f"not run: {name}")
    if arguments.all and not arguments.only:
        for name in expected:
            if not name.endswith("*") and name not in bad:
                print(f"expected to fail, but passed or is gone: {name}")
    print(f"numba-cuda: {len(names)} of {total} tests in {time.monotonic() - start:.0f} s: " +
          ", ".join(f"{count} {outcome}" for outcome, count in sorted(counts.items())) +
          f"; {len(bad) - len(new)} failures are expected, {len(new)} are not")
    sys.exit(1 if new or missing else 0)


if __name__ == "__main__":
    main()
