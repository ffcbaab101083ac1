"""What is wrong with a kernel, as exceptions and warnings with fields."""

import pickle
import warnings

import numpy as np
import pytest

import ptxvm
from kernels import COUNT, ENDLESS, HEAD, RACE, SAXPY


def test_a_finding_has_fields():
    kernel = ptxvm.load(COUNT)["count"]
    with pytest.raises(ptxvm.Finding) as raised:
        kernel[2, 32](np.zeros(63, np.uint32))
    finding = raised.value
    assert finding.kind == "out-of-bounds" and finding.kernel == "count" and finding.stopped and not finding.others
    assert finding.thread == ptxvm.Thread((1, 0, 0), (31, 0, 0), 0, 31)
    assert str(finding.thread) == "thread (31,0,0) of CTA (1,0,0)"
    line = COUNT.split("\n")[finding.place.line - 1]
    assert "st.global.u32 [%p], %i" in line and line[finding.place.column - 1 :].startswith("st.global")
    assert finding.registers["%i"] == 63 and "%p" in finding.registers and finding.message.startswith("a write of 4 bytes out of bounds at 0x")
    assert "right past the end of host array of 252 bytes" in str(finding)
    assert isinstance(finding, ptxvm.Error) and ptxvm.explain(finding.kind).title
    again = pickle.loads(pickle.dumps(finding))
    assert again.kind == finding.kind and again.place == finding.place and str(again) == str(finding)


def test_a_line_of_the_source_is_known_where_the_ptx_says_it():
    text = COUNT.replace("    st.global", "    .loc 1 7 3\n    st.global") + '\n.file 1 "kernel.py"\n'
    with pytest.raises(ptxvm.Finding) as raised:
        ptxvm.load(text)["count"][1, 2](np.zeros(1, np.uint32))
    assert str(raised.value.source).endswith("kernel.py:7:3")


def test_a_race_has_both_places():
    kernel = ptxvm.load(RACE)["race"]
    out = np.zeros(1, np.uint32)
    assert kernel[2, 1](out).findings == []
    with pytest.raises(ptxvm.Finding) as raised:
        kernel[2, 1](out, check="race")
    race = raised.value
    assert race.kind == "race" and not race.stopped and race.place is not None
    assert [place.line for place in race.related] == [race.place.line]
    assert race.thread.ctaid != race.related[0].thread.ctaid and race.notes


def test_findings_are_warned_of_or_collected():
    device = ptxvm.Device(check=True, on_finding="warn")
    kernel = device.load(RACE)["race"]
    out = np.zeros(1, np.uint32)
    with pytest.warns(ptxvm.FindingWarning, match="a race in global memory") as warned:
        launch = kernel[2, 1](out)
    assert warned[0].message.finding is launch.findings[0] and warned[0].filename == __file__
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        launch = kernel[2, 1](out, on_finding="collect")
    assert [finding.kind for finding in launch.findings] == ["race"]
    collected = device.load(COUNT)["count"][1, 2](np.zeros(1, np.uint32), on_finding="collect")
    assert [finding.kind for finding in collected.findings] == ["out-of-bounds"]
    with pytest.raises(ValueError, match="raise, warn, collect"):
        kernel[2, 1](out, on_finding="ignore")


def test_several_findings_are_one_exception():
    text = RACE.replace("    ret;", "    st.global.u32 [%p+4], %cta;\n    ret;")
    with pytest.raises(ptxvm.Finding) as raised:
        ptxvm.load(text)["race"][2, 1](np.zeros(2, np.uint32), check="race")
    both = [raised.value, *raised.value.others]
    assert [finding.kind for finding in both] == ["race", "race"] and str(raised.value).count("error[race]") == 2


def test_a_finding_leaves_the_device_usable():
    module = ptxvm.load(COUNT)
    out = np.zeros(64, np.uint32)
    with pytest.raises(ptxvm.Finding):
        module["count"][3, 32](out)
    module["count"][2, 32](out)
    assert list(out) == list(range(64))


def test_limits_and_what_is_not_supported(tmp_path):
    endless = ptxvm.load(ENDLESS)["endless"]
    with pytest.raises(ptxvm.LimitReached) as stopped:
        endless[1, 1](timeout=0.05)
    assert stopped.value.code == "time"
    with pytest.raises(ptxvm.LimitReached) as stopped:
        endless[1, 1](max_instructions=1000)
    assert stopped.value.code == "instructions"
    with pytest.raises(ptxvm.Finding) as deadlock:
        ptxvm.load(HEAD + ".visible .entry k() { .reg .pred %p; .reg .b32 %t; mov.u32 %t, %tid.x; setp.lt.u32 %p, %t, 32;\n"
                   "@%p bar.sync 0, 64;\n@!%p bar.sync 1, 64;\nret; }")["k"][1, 64]()
    assert deadlock.value.kind == "deadlock"


def test_suppressed_findings_are_not_told(tmp_path):
    file = tmp_path / "suppressions"
    file.write_text("race in race because the test says so\n")
    device = ptxvm.Device(check="race", suppress=file)
    assert device.load(RACE)["race"][2, 1](np.zeros(1, np.uint32)).findings == []
    file.write_text("race\n")
    with pytest.raises(ValueError, match="suppressions:1"):
        ptxvm.Device(suppress=file)


def test_findings_launches_and_pages_are_shown_in_notebooks():
    with pytest.raises(ptxvm.Finding) as raised:
        ptxvm.load(COUNT)["count"][1, 2](np.zeros(1, np.uint32))
    html = raised.value._repr_html_()
    assert "<b>out-of-bounds</b>" in html and "thread (1,0,0) of CTA (0,0,0)" in html and "%p" in html
    launch = ptxvm.load(SAXPY.replace("saxpy", "a_b"))["a_b"][1, 1](0, 1.0, np.ones(1, "f4"), np.ones(1, "f4"))
    assert "warp instructions" in launch._repr_html_() and "a_b" in launch._repr_html_()
    assert ptxvm.explain("race")._repr_markdown_().startswith("#")


def test_a_cell_of_a_notebook_is_a_module(capsys):
    from IPython.core.interactiveshell import InteractiveShell

    shell = InteractiveShell.instance()
    shell.run_line_magic("load_ext", "ptxvm.notebook")
    module = shell.run_cell_magic("ptx", "counting --device a100 --seed 3", COUNT)
    assert shell.user_ns["counting"] is module and module.device.name == "a100"
    shown = shell.run_cell_magic("ptx", "counting", COUNT.replace("st.global.u32", "st.global.u33"))
    assert "error[E" in shown._repr_html_() and shell.user_ns["counting"] is module
    for line in ("3x", "x --device", "x --devise h200", "x --device h2000"):
        assert shell.run_cell_magic("ptx", line, COUNT) is None
        assert capsys.readouterr().err
