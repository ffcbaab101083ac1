"""The lists of what fails and why, which lie beside each client's tests as expected.txt."""

import os
import re


def load(folder):
    """The reason by test. What a finding stops (`stop: reason`) goes on with `--findings report`, which `ptxvm exec` tells
    by the environment."""
    goes_on = os.environ.get("PTXVM_FINDINGS", "stop") != "stop"
    expected = {}
    for line in (folder / "expected.txt").read_text().splitlines():
        if line.strip() and not line.startswith("#"):
            test, _, reason = line.partition("  ")
            if not (goes_on and reason.strip().startswith("stop: ")):
                expected[test] = reason.strip()
    return expected


def matches(test, name):
    """Whether a name of the list means a test; a star in it stands for anything."""
    return re.fullmatch(re.escape(name).replace(r"\*", ".*"), test) is not None


def is_expected(test, expected):
    return any(matches(test, name) for name in expected)
