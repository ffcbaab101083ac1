"""The pytest plugin: `pytest --ptxvm` runs tests on ptxvm's libcuda and fails those whose kernels do something wrong.

pytest is started anew under `ptxvm exec`, before it captures output and before anything can load another libcuda; workers of
xdist inherit what that sets. In each process that runs tests the library writes what it finds into a file of that process,
which is read after each phase of a test. `docs/pytest.md` is the manual.
"""

from __future__ import annotations

import collections
import ctypes
import json
import os
import re
import shutil
import sys
import tempfile
from _ctypes import dlopen
from typing import Any, Iterator

import pytest

_STARTED = "PTXVM_PYTEST"
_REPORT = "PTXVM_REPORT"
_FAILS = ("finding", "limit", "unsupported", "bug")
_COLOURS = re.compile(r"\x1b\[[0-9;]*m")
_MARKER = "ptxvm_finding(kind, ...): the test's kernels do this wrong, and the test passes only if they do"


def pytest_addoption(parser: pytest.Parser) -> None:
    group = parser.getgroup("ptxvm", "run tests on a virtual GPU")
    group.addoption("--ptxvm", action="store_true", help="run the tests on ptxvm's libcuda")
    group.addoption("--ptxvm-device", metavar="NAME", help="the GPU that tests see: h200 (default), b200, a100 …")
    group.addoption("--ptxvm-check", action="store_true", help="look for races, undefined values and others, as `ptxvm exec --check`")
    group.addoption("--ptxvm-checks", metavar="WHAT", help="look for these: race,init …, as `ptxvm exec --check=WHAT`")
    group.addoption("--ptxvm-seeds", metavar="N", type=int, help="run each test in N of the orders that PTX leaves open")
    group.addoption("--ptxvm-stats", action="store_true", help="tell what kernels did, for each test and of all")
    group.addoption(
        "--ptxvm-option",
        metavar="NAME=VALUE",
        action="append",
        default=[],
        help="another option of `ptxvm exec`: --ptxvm-option timeout=10s",
    )


def _is_wanted(options: Any) -> bool:
    names = ("ptxvm", "ptxvm_device", "ptxvm_check", "ptxvm_checks", "ptxvm_seeds", "ptxvm_stats", "ptxvm_option")
    said = [getattr(options, name, None) for name in names]
    # No seeds at all are a mistake, which `_switches` tells of.
    return any(value is not None and value is not False and value != [] for value in said)


def _switches(options: Any) -> dict[str, str]:
    """What the options say, in the words of `ptxvm exec`."""
    all: dict[str, str] = {}
    for pair in options.ptxvm_option:
        name, equals, value = pair.partition("=")
        if not equals or not name:
            raise pytest.UsageError(f"--ptxvm-option takes NAME=VALUE, such as timeout=10s, and is given {pair}")
        all[name] = value
    if options.ptxvm_device:
        all["device"] = options.ptxvm_device
    if options.ptxvm_check or options.ptxvm_checks:
        all["check"] = options.ptxvm_checks or "all"
    if options.ptxvm_stats:
        all["stats"] = "1"
    if options.ptxvm_seeds is not None and options.ptxvm_seeds < 1:
        raise pytest.UsageError(f"--ptxvm-seeds takes a number from 1, and is given {options.ptxvm_seeds}")
    return all


# Before pytest's own wrapper, which begins to capture output.
@pytest.hookimpl(hookwrapper=True, tryfirst=True)
def pytest_load_initial_conftests(early_config: pytest.Config) -> Iterator[None]:
    options = early_config.known_args_namespace
    if _is_wanted(options):
        switches = _switches(options)
        if _STARTED not in os.environ and _REPORT not in os.environ:
            _start_anew(early_config, switches)
        for name, value in switches.items():
            # Under an `exec` of the user's the library has not been loaded yet, and reads this.
            os.environ["PTXVM_" + name.upper().replace("-", "_")] = value
    yield


def _start_anew(config: pytest.Config, switches: dict[str, str]) -> None:
    """Puts `ptxvm exec -- pytest …` in the place of this process."""
    from ._files import command

    arguments = [str(argument) for argument in config.invocation_params.args]
    if arguments != sys.argv[1:]:
        raise pytest.UsageError(
            "--ptxvm starts pytest anew, and cannot start this program, which has called pytest.main: "
            "run the program with `ptxvm exec -- …`"
        )
    path = str(command())
    said = [word for name, value in switches.items() if name != "stats" for word in (f"--{name}={value}",)]
    said += ["--stats"] if "stats" in switches else []
    os.environ[_STARTED] = str(os.getpid())
    sys.stdout.flush()
    sys.stderr.flush()
    os.execv(path, [path, "exec", "--status", "command", *said, "--", sys.executable, *sys.orig_argv[1:]])


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", _MARKER)
    if _is_wanted(config.option):
        config.pluginmanager.register(Runner(config), "ptxvm-runner")


class Record:
    """What a test's kernels have done."""

    def __init__(self) -> None:
        self.found: list[dict[str, Any]] = []
        self.launches: list[dict[str, Any]] = []
        self.taken: list[dict[str, Any]] = []


class Runner:
    """Looks after each phase of a test what its kernels have done."""

    def __init__(self, config: pytest.Config) -> None:
        self.config = config
        self.seeds: int = config.option.ptxvm_seeds or 1
        self.folder = tempfile.mkdtemp(prefix="ptxvm-pytest-")
        self.path = os.path.join(self.folder, "report")
        self.read = 0
        self.library: ctypes.CDLL | None = None
        self.record = Record()
        self.totals: dict[str, collections.Counter[str]] = {}
        self.failing: collections.Counter[str] = collections.Counter()
        # The library reads both when it is loaded. It adds the text of a finding to its record where standard error is
        # not the user's, which is so if it has another name.
        os.environ[_REPORT] = self.path
        os.environ["PTXVM_STDERR"] = "pytest"

    def pytest_unconfigure(self) -> None:
        shutil.rmtree(self.folder, ignore_errors=True)

    def pytest_report_header(self) -> str:
        switches = _switches(self.config.option)
        said = ", ".join(f"{name} {value}" for name, value in switches.items() if name != "device")
        seeds = f", {self.seeds} seeds" if self.seeds > 1 else ""
        return f"ptxvm: {switches.get('device') or os.environ.get('PTXVM_DEVICE') or 'h200'}{seeds}{', ' + said if said else ''}"

    def pytest_generate_tests(self, metafunc: pytest.Metafunc) -> None:
        if self.seeds > 1:
            metafunc.fixturenames.append("_ptxvm_seed")
            metafunc.parametrize("_ptxvm_seed", range(self.seeds), indirect=True, ids=[f"seed{seed}" for seed in range(self.seeds)])

    @pytest.fixture
    def _ptxvm_seed(self) -> None:
        """What tests are parametrised with; the seed is chosen before any of their fixtures is set up."""

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_setup(self, item: pytest.Item) -> None:
        seed = item.callspec.params.get("_ptxvm_seed") if hasattr(item, "callspec") else None
        if seed is None:
            return
        os.environ["PTXVM_SEED"] = str(seed)
        library = self.loaded()
        if library is not None:
            library.ptxvm_set_seed(ctypes.c_uint64(seed))

    @pytest.fixture
    def ptxvm_findings(self) -> Findings:
        """What the test's kernels have done wrong so far; what is taken from it does not fail the test."""
        return Findings(self)

    @pytest.hookimpl(hookwrapper=True)
    def pytest_runtest_makereport(self, item: pytest.Item, call: pytest.CallInfo[None]) -> Iterator[None]:
        outcome: Any = yield
        report: pytest.TestReport = outcome.get_result()
        record = self.looked(anew=True)
        expected = {kind for marker in item.iter_markers("ptxvm_finding") for kind in marker.args}
        found = record.found
        if record.launches:
            report.sections.append(("ptxvm kernels", "\n".join(line_of(one) for one in record.launches)))
            report.user_properties.append(("ptxvm_launches", json.dumps([brief(one) for one in record.launches])))
        wrong = [one for one in found if kind_of(one) not in expected]
        if wrong and report.passed:
            report.outcome = "failed"
            report.longrepr = texts_of(wrong)
        elif found and (add_section := getattr(report.longrepr, "addsection", None)):
            # A part of the failure, so that JUnit files have it too.
            add_section("ptxvm findings", texts_of(found))
        elif found:
            report.sections.append(("ptxvm findings", texts_of(found)))
        if wrong:
            report.user_properties.append(("ptxvm_findings", json.dumps([kind_of(one) for one in wrong])))
        if report.when == "call" and report.passed and expected:
            missing = expected - {kind_of(one) for one in found + record.taken}
            if missing:
                report.outcome = "failed"
                report.longrepr = f"the test's kernels should do this wrong, and do not: {', '.join(sorted(missing))}"
        self.record = Record()

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        for name, value in report.user_properties:
            if name == "ptxvm_findings":
                self.failing.update(json.loads(str(value)))
            elif name == "ptxvm_launches":
                for kernel, instructions, seconds in json.loads(str(value)):
                    total = self.totals.setdefault(kernel, collections.Counter())
                    total.update(launches=1, instructions=instructions, microseconds=round(seconds * 1e6))

    def pytest_terminal_summary(self, terminalreporter: Any) -> None:
        if self.totals:
            terminalreporter.section("ptxvm kernels")
            most = sorted(self.totals.items(), key=lambda entry: -entry[1]["microseconds"])
            for kernel, total in most:
                time = f"{total['microseconds'] / 1e3:,.1f} ms"
                terminalreporter.write_line(
                    f"{time:>14} {total['launches']:>8,} launches {total['instructions']:>16,} warp instructions  {kernel}"
                )
        if self.failing:
            count = sum(self.failing.values())
            kinds = ", ".join(f"{kind} {times}" for kind, times in sorted(self.failing.items()))
            terminalreporter.write_line(f"ptxvm: {count} finding{'s' * (count > 1)} ({kinds})")

    def loaded(self) -> ctypes.CDLL | None:
        """Our libcuda, once a test has loaded it."""
        if self.library is None:
            # Asked after each phase of each test: a tenth of the time that ctypes.CDLL takes to find nothing.
            try:
                handle = dlopen("libcuda.so.1", os.RTLD_NOLOAD | os.RTLD_NOW)
            except OSError:
                return None
            library = ctypes.CDLL("libcuda.so.1", handle=handle)
            self.library = library if hasattr(library, "ptxvm_begin_anew") else None
        return self.library

    def looked(self, anew: bool) -> Record:
        """What has happened since the last look. `anew`: and what was wrong must not break what follows."""
        library = self.loaded()
        if library is not None:
            # It waits for kernels, so that what they do belongs to the test that launched them.
            library.ptxvm_begin_anew() if anew else library.cuCtxSynchronize()
        try:
            size = os.stat(self.path).st_size
        except FileNotFoundError:
            return self.record
        if size > self.read:
            with open(self.path, "rb") as file:
                file.seek(self.read)
                text = file.read()
            # A process of the test's may be in the middle of a line.
            whole = text[: text.rfind(b"\n") + 1]
            self.read += len(whole)
            for line in whole.splitlines():
                one = json.loads(line)
                if one["kind"] == "launch":
                    self.record.launches.append(one)
                elif one["kind"] in _FAILS and "suppressed" not in one:
                    self.record.found.append(one)
        return self.record


class Findings:
    """What the kernels of a test have done wrong so far."""

    def __init__(self, runner: Runner) -> None:
        self._runner = runner

    def take(self) -> list[Any]:
        """Waits for kernels, and gives what they have done wrong as `ptxvm.Finding` objects. It does not fail the test, and
        the context can be used again."""
        from .findings import Finding

        record = self._runner.looked(anew=True)
        taken, record.found = record.found, []
        record.taken += taken
        return [Finding({**one, "text": text_of(one)}) for one in taken]


def kind_of(one: dict[str, Any]) -> str:
    """`race`, `out-of-bounds` …, or what else it is."""
    return str(one.get("code") or one["kind"])


def text_of(one: dict[str, Any]) -> str:
    """A finding as the command shows it."""
    text = one.get("said") or f"{one['kind']}: {one.get('message', '')}"
    return _COLOURS.sub("", text).rstrip()


def texts_of(all: list[dict[str, Any]]) -> str:
    """Several of them."""
    return "\n\n".join(text_of(one) for one in all)


def line_of(one: dict[str, Any]) -> str:
    """What a launch did, in a line."""
    grid, block = (",".join(str(size) for size in one[name]) for name in ("grid", "block"))
    return f"{one['kernel']} grid ({grid}) block ({block}): {one['warp_instructions']:,} warp instructions, {one['seconds'] * 1e3:.2f} ms"


def brief(one: dict[str, Any]) -> tuple[str, int, float]:
    """What is summed up over all tests."""
    return one["kernel"], one["warp_instructions"], one["seconds"]
