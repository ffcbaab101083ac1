"""The GitHub action on a sample project (examples/ci-project), step by step as GitHub runs it: green as it stands, red with
annotations on the right lines when something wrong is planted."""

import shutil

import pytest
import yaml

KERNELS = "rows/__init__.py"
PLANTED = {
    # Without the mask the last row is read past its end.
    "out-of-bounds": ("values = tl.load(x + row * columns + column, mask=inside)", "values = tl.load(x + row * columns + column)"),
    # Programs add to the same word one after the other, if nobody comes between.
    "race": ("tl.atomic_add(out, tl.sum(values))", "tl.store(out, tl.load(out) + tl.sum(values))"),
    "wrong": ("values * tl.load(factors + row)", "values + tl.load(factors + row)"),
}


@pytest.fixture
def project(root, tmp_path):
    shutil.copytree(root / "examples/ci-project", tmp_path, dirs_exist_ok=True)
    return tmp_path


@pytest.fixture
def action(root, run, project):
    """Runs the action's steps with inputs, but for the installation: the wheel is there."""
    description = yaml.safe_load((root / "action.yml").read_text())
    inputs = {name: one.get("default", "") for name, one in description["inputs"].items()}

    def action(status, **given):
        values = {**inputs, **given, "package": ""}
        steps = [step for step in description["runs"]["steps"] if "package" not in step.get("if", "")]
        assert len(steps) == 1 and set(given) <= set(inputs)
        variables = {name: text.replace("${{ inputs.", "").replace(" }}", "") for name, text in steps[0]["env"].items()}
        environment = {name: values[text] for name, text in variables.items()}
        return run("bash", "-eo", "pipefail", "-c", steps[0]["run"], status=status, GITHUB_ACTIONS="true", **environment)

    return action


def annotations(done):
    """The lines that GitHub makes annotations of, from whatever stream, as places and messages."""
    output = done.stdout + done.stderr
    lines = [line[2:].split("::", 1) for line in output.splitlines() if line.startswith("::error ")]
    places = [dict(one.split("=", 1) for one in head.removeprefix("error ").split(",")) for head, _ in lines]
    return [(place.get("file", ""), int(place.get("line", 0)), text) for place, (_, text) in zip(places, lines)]


def test_the_project_is_green(action):
    done = action(0, run="python -m pytest -q -p no:cacheprovider")
    assert "2 passed" in done.stdout and annotations(done) == []


@pytest.mark.parametrize("mistake", PLANTED)
def test_a_mistake_is_red_and_annotated(action, project, mistake):
    right, wrong = PLANTED[mistake]
    source = (project / KERNELS).read_text()
    (project / KERNELS).write_text(source.replace(right, wrong))
    line = source[: source.index(right)].count("\n") + 1
    done = action(None, run="python -m pytest -q -p no:cacheprovider")
    assert done.returncode != 0, done.stdout + done.stderr
    found = annotations(done)
    if mistake == "wrong":
        assert [(file, "test_scale" in text) for file, _, text in found] == [("tests/test_rows.py", True)], done.stdout
    else:
        places = [(place, at) for place, at, text in found if mistake in text and place.endswith(KERNELS)]
        assert places and {at for _, at in places} == {line}, done.stdout + done.stderr
    (project / KERNELS).write_text(source)
    assert action(0, run="python -m pytest -q -p no:cacheprovider").returncode == 0


NUMBA = """
import numpy as np
from numba import cuda

@cuda.jit
def double(x):
    at = cuda.grid(1)
    if at < x.size:
        x[at] *= 2

def test_double():
    x = cuda.to_device(np.arange(100))
    double[1, 128](x)
    assert (x.copy_to_host() == 2 * np.arange(100)).all()
"""

SAMPLES = {"numba.yml": {"tests/test_double.py": NUMBA}, "triton.yml": None}


def steps_of(root, name):
    """The steps of a sample workflow."""
    workflow = yaml.safe_load((root / ".github/samples" / name).read_text())
    ((_, job),) = workflow["jobs"].items()
    return job, job["steps"]


def test_sample_workflows_ask_what_the_action_takes(root):
    """Those for JAX and for CUDA C++ need what a test does not install: their commands are those of docs/clients."""
    inputs = yaml.safe_load((root / "action.yml").read_text())["inputs"]
    names = sorted(path.name for path in (root / ".github/samples").glob("*.yml"))
    assert names == ["cuda-cpp.yml", "jax.yml", "numba.yml", "triton.yml"]
    table = (root / ".github/samples/README.md").read_text()
    for name in names:
        _, steps = steps_of(root, name)
        (own,) = (step for step in steps if step.get("uses", "").startswith("ptxvm/ptxvm@"))
        assert set(own["with"]) <= set(inputs) and "run" in own["with"], name
        assert f"({name})" in table


@pytest.mark.parametrize("name", SAMPLES)
def test_sample_workflows_run(root, project, action, name):
    files = SAMPLES[name]
    for place, text in (files or {}).items():
        shutil.rmtree(project / "tests")
        (project / place).parent.mkdir()
        (project / place).write_text(text)
    job, steps = steps_of(root, name)
    own = next(step["with"] for step in steps if step.get("uses", "").startswith("ptxvm/"))
    for device in job.get("strategy", {}).get("matrix", {}).get("device", [""]):
        given = {key: text.replace("${{ matrix.device }}", device) for key, text in own.items()}
        assert "passed" in action(0, **given).stdout
