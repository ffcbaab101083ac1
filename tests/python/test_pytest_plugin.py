"""The pytest plugin, run as users run it: as a process of its own on small test files."""

import re
import sys
import xml.etree.ElementTree
from pathlib import Path

import pytest

HERE = str(Path(__file__).parent)

CLIENT = """
import ctypes
import pytest
from client import Client

@pytest.fixture(scope="session")
def client():
    return Client()
"""

SUITE = """
def test_right_before(client):
    assert client.count(64, 64) == list(range(64))

def test_swallowed(client):
    client.launch(64, 32)  # nobody looks at the answer

def test_seen(client):
    assert client.count(64, 32)

def test_right_after(client):
    assert client.count(64, 64) == list(range(64))
"""


@pytest.fixture
def suite(run, tmp_path):
    """Runs pytest on a text."""

    def suite(text, *options, status=None, **variables):
        (tmp_path / "conftest.py").write_text(CLIENT)
        (tmp_path / "test_suite.py").write_text(text)
        command = [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", "--color=no", *options]
        return run(*command, status=status, PYTHONPATH=HERE, **variables)

    return suite


@pytest.mark.parametrize("options", [[], ["-n", "2"], ["-s"]], ids=["plain", "xdist", "uncaptured"])
def test_each_finding_belongs_to_its_test(suite, options):
    done = suite(SUITE, "--ptxvm", "-v", *options, status=1)
    assert "2 failed, 2 passed" in done.stdout, done.stdout + done.stderr
    failed = set(re.findall(r"^FAILED test_suite.py::(\w+)", done.stdout, re.M))
    assert failed == {"test_swallowed", "test_seen"}, done.stdout
    swallowed = done.stdout.split("test_swallowed ___")[1].split("test_seen ___")[0]
    assert "error[out-of-bounds]" in swallowed and "st.global.u32 [%p], %i" in swallowed
    assert "ptxvm findings" in done.stdout.split("test_seen ___")[1]
    assert "ptxvm: 2 findings (out-of-bounds 2)" in done.stdout and "ptxvm: h200" in done.stdout


def test_options_choose_device_checks_and_seeds(suite):
    text = """
def test_device(client):
    assert b"B200" in client.name()

def test_race(client):
    client.race()

def test_race_again(client):
    client.race()
"""
    done = suite(text, "--ptxvm-device", "b200", "--ptxvm-check", status=1)
    assert "2 failed, 1 passed" in done.stdout and done.stdout.count("error[race]") >= 2, done.stdout
    assert "ptxvm: b200, check all" in done.stdout
    assert "3 passed" in suite(text, "--ptxvm-device=b200", status=0).stdout


def test_each_test_is_run_in_several_orders(suite):
    text = """
import os
import pytest

@pytest.mark.parametrize("n", [1, 2])
def test_seed(client, ptxvm_findings, n):
    client.launch(64, 32)
    (finding,) = ptxvm_findings.take()
    print("seed", finding.raw["seed"], os.environ["PTXVM_SEED"])
"""
    done = suite(text, "--ptxvm-seeds", "3", "-s", status=0)
    assert "6 passed" in done.stdout and "ptxvm: h200, 3 seeds" in done.stdout
    for seed in range(3):
        assert done.stdout.count(f"seed {seed} {seed}\n") == 2, done.stdout
    assert {f"seed{seed}" for seed in range(3)} <= set(re.findall(r"seed\d", suite(text, "--ptxvm-seeds", "3", "-v").stdout))


def test_statistics_are_in_the_report(suite, tmp_path):
    done = suite(SUITE, "--ptxvm-stats", "--junitxml=report.xml", status=1)
    assert "ptxvm kernels" in done.stdout and re.search(r"2 launches .* warp instructions  count", done.stdout), done.stdout
    cases = xml.etree.ElementTree.parse(tmp_path / "report.xml").iter("testcase")
    failed = {case.get("name") for case in cases if case.find("failure") is not None}
    assert failed == {"test_swallowed", "test_seen"}


def test_findings_that_are_expected(suite):
    text = """
import pytest

@pytest.mark.ptxvm_finding("out-of-bounds")
def test_expected(client):
    client.launch(64, 32)

@pytest.mark.ptxvm_finding("out-of-bounds")
def test_missing(client):
    client.launch(64, 64)

@pytest.mark.ptxvm_finding("race")
def test_another(client):
    client.launch(64, 32)

def test_taken(client, ptxvm_findings):
    client.launch(64, 32)
    (finding,) = ptxvm_findings.take()
    assert finding.kind == "out-of-bounds" and finding.kernel == "count" and finding.thread.ctaid == (0, 0, 0)
    assert client.count(64, 64) and ptxvm_findings.take() == []
"""
    done = suite(text, "--ptxvm", "--strict-markers", status=1)
    assert "2 failed, 2 passed" in done.stdout, done.stdout
    assert "should do this wrong, and do not: out-of-bounds" in done.stdout


def test_skipped_and_expected_failures_stay_what_they_are(suite):
    text = """
import pytest

@pytest.mark.skip
def test_skipped(client):
    client.launch(64, 32)

@pytest.mark.xfail
def test_fails(client):
    assert client.count(64, 32) == []

def test_right(client):
    client.launch(64, 64)
"""
    assert "1 passed, 1 skipped, 1 xfailed" in suite(text, "--ptxvm", status=0).stdout


def test_kernels_of_processes_that_a_test_starts(suite):
    text = """
import subprocess, sys

def test_child():
    program = "from client import Client; Client().launch(64, 32)"
    subprocess.run([sys.executable, "-c", program])
"""
    done = suite(text, "--ptxvm", status=1)
    assert "1 failed" in done.stdout and "error[out-of-bounds]" in done.stdout


def test_without_the_option_nothing_happens(suite):
    text = "import os\ndef test_plain():\n    assert 'PTXVM_REPORT' not in os.environ\n"
    done = suite(text, status=0)
    assert "1 passed" in done.stdout and "ptxvm" not in done.stdout.replace("ptxvm-", "plugin-")


def test_it_works_under_an_exec_of_the_users_own(suite, run, tmp_path):
    suite(SUITE, "--ptxvm")
    done = run("ptxvm", "exec", "--device", "a100", "--", sys.executable, "-m", "pytest", "--ptxvm", "-p", "no:cacheprovider", status=1, PYTHONPATH=HERE)
    assert "2 failed, 2 passed" in done.stdout and "ptxvm: a100" in done.stdout


@pytest.mark.parametrize(
    "options, says",
    [
        (["--ptxvm-device", "h2000"], "h2000"),
        (["--ptxvm-option", "sead=3"], "sead"),
        (["--ptxvm-option", "seed"], "NAME=VALUE"),
        (["--ptxvm-seeds", "0"], "from 1"),
        (["--ptxvm-seeds", "many"], "many"),
        (["--ptxvm-checks", "rase"], "rase"),
    ],
)
def test_wrong_options_are_told(suite, options, says):
    done = suite(SUITE, *options)
    assert done.returncode not in (0, 5) and says in done.stdout + done.stderr and "Traceback" not in done.stderr


def test_a_program_that_calls_pytest_is_told_what_to_do(run, tmp_path):
    (tmp_path / "main.py").write_text("import pytest, sys\nsys.exit(pytest.main(['--ptxvm']))\n")
    done = run(sys.executable, "main.py", status=4)
    assert "run the program with `ptxvm exec -- …`" in done.stderr
