"""Launches from Python: what kernels get is what was passed, and what they leave is there."""

import numpy as np
import pytest

import ptxvm
from kernels import COUNT, KINDS, PRINT, SAXPY, STRUCTURE


def test_a_kernel_uses_numpy_arrays_in_place():
    module = ptxvm.Device("h200").load(SAXPY)
    x, y = np.arange(1000, dtype=np.float32), np.ones(1000, np.float32)
    launch = module["saxpy"][8, 128](1000, 2.0, x, y)
    assert (y == 2 * np.arange(1000) + 1).all() and x[-1] == 999
    assert launch.kernel == "saxpy" and launch.grid == (8, 1, 1) and launch.findings == []
    assert launch.statistics.ctas == 8


def test_a_file_is_loaded_by_its_path(root, tmp_path):
    module = ptxvm.load(root / "examples/saxpy.ptx", device="a100")
    assert list(module) == ["saxpy"] and module.device.name == "a100"
    assert ptxvm.load(str(root / "examples/saxpy.ptx"))["saxpy"].name == "saxpy"
    with pytest.raises(FileNotFoundError):
        ptxvm.load(tmp_path / "nothing.ptx")


def test_each_kind_of_parameter_has_the_bits_that_were_passed():
    kernel = ptxvm.load(KINDS)["kinds"]
    out = np.zeros(6, np.uint64)
    kernel[1, 1](out, 255, -2, np.int32(-7), 1 << 63, -0.5, np.float32(1.5))
    assert out[0] == 255 and out[1] == 0xFFFE and out[2] == 0xFFFFFFF9 and out[3] == 1 << 63
    assert out[4:5].view(np.float64)[0] == -0.5 and out[5:].view(np.float32)[0] == 1.5
    kernel[1, 1](out, True, 5, 3, np.uint64(9), 3, 0xDEADBEEF)
    assert out[0] == 1 and out[3] == 9 and out[4:5].view(np.float64)[0] == 3.0 and out[5] == 0xDEADBEEF


def test_structures_and_variables():
    module = ptxvm.load(STRUCTURE)
    out = np.zeros(1, np.uint32)
    module["structure"][1, 1](np.array([(5, 6)], "u4,u4")[0], out)
    assert out[0] == 15
    table = module.variables["table"]
    assert list(table.read(np.uint32)) == [15, 2, 3, 4] and table.size == 16 and not table.constant
    table.write(np.array([0, 0, 0, 100], np.uint32))
    module["structure"][1, 1](bytes(8), out)
    assert out[0] == 100
    with pytest.raises(ValueError, match="has 16 bytes, and is given 4"):
        table.write(np.zeros(1, np.float32))


def test_views_empty_arrays_and_the_same_array_twice():
    module = ptxvm.load(SAXPY)
    x = np.ones(100, np.float32)
    module["saxpy"][1, 32](32, 1.0, x, x)
    assert (x[:32] == 2).all() and (x[32:] == 1).all()
    module["saxpy"][1, 32](32, 1.0, x[50:82], x)
    assert (x[:32] == 3).all()
    module["saxpy"][1, 32](0, 1.0, x[:0], np.empty(0, np.float32))


def test_other_libraries_arrays_by_dlpack():
    class Array:
        """What another library's array has."""

        def __init__(self, array):
            self.array = array

        def __dlpack__(self, **options):
            return self.array.__dlpack__(**options)

        def __dlpack_device__(self):
            return self.array.__dlpack_device__()

    y = np.zeros(64, np.uint32)
    ptxvm.load(COUNT)["count"][2, 32](Array(y))
    assert list(y) == list(range(64))


def test_what_kernels_print_goes_where_python_prints(capsys):
    ptxvm.load(PRINT)["print"][1, 3]()
    assert capsys.readouterr().out == "hello 0\nhello 1\nhello 2\n"


def test_options_of_devices_and_of_launches(monkeypatch):
    device = ptxvm.Device("b200", seed=5, engine="interpret", stats=True)
    out = np.zeros(64, np.uint32)
    launch = device.load(COUNT)["count"][2, 32](out, seed=9, threads=2, max_instructions=10**6)
    assert launch.statistics.warp_instructions_by_class and launch.statistics.bytes_written["global"] == 256
    assert sum(launch.statistics.warp_instructions_by_class.values()) == launch.statistics.warp_instructions > 0
    assert {option["name"] for option in ptxvm.options()} >= {"seed", "check", "timeout", "max_memory"}
    monkeypatch.setenv("PTXVM_DEVICE", "a100")
    assert ptxvm.Device().name == "a100" and ptxvm.Device("h100").name == "h100"
    assert {"h200", "b200", "a100"} <= {device["name"] for device in ptxvm.devices()}


def test_devices_live_side_by_side():
    first, second = ptxvm.Device("h200").load(STRUCTURE), ptxvm.Device("a100").load(STRUCTURE)
    out = np.zeros(1, np.uint32)
    first["structure"][1, 1](bytes(8), out)
    assert first.variables["table"].read(np.uint32)[0] == 4 and second.variables["table"].read(np.uint32)[0] == 1


def test_events_are_told():
    text = COUNT.replace("    ret;", "    fence.acq_rel.gpu;\n    ret;")
    launch = ptxvm.load(text)["count"][1, 32](np.zeros(32, np.uint32), events=True)
    names = [event.name for event in launch.events]
    assert "fence" in names and launch.events[names.index("fence")].line is not None, launch.events


def test_check_fmt_isa_explain(root):
    checked = ptxvm.check(root / "examples/mistakes.ptx")
    assert not checked and {one.code for one in checked.diagnostics} >= {"E0402", "E0502", "E0408"}
    first = checked.diagnostics[0]
    assert first.code == "E0402" and first.place.line == 15 and first.help and "error[E0402]" in checked.text
    assert ptxvm.check(SAXPY) and ptxvm.check(SAXPY).summary.startswith("PTX 8.0 for sm_80, 1 function")
    assert "\tst.global.f32 [%py], %y;\n" in ptxvm.fmt(SAXPY) and ptxvm.fmt(ptxvm.fmt(SAXPY)) == ptxvm.fmt(SAXPY)
    with pytest.raises(ptxvm.InvalidPtx) as wrong:
        ptxvm.fmt(".version 9.1 }}}")
    assert wrong.value.diagnostics
    forms = ptxvm.isa("mul.wide.s32")
    assert forms and all("mul" in form.form for form in forms) and len(ptxvm.isa()) > 300
    with pytest.raises(ValueError, match="no instruction `mull`"):
        ptxvm.isa("mull")
    assert ptxvm.explain("e0402").code == "E0402" and "race" in {page.code for page in ptxvm.explain()}
    with pytest.raises(ValueError, match="E9999"):
        ptxvm.explain("E9999")


def test_types_are_declared(run, tmp_path):
    program = tmp_path / "typed.py"
    program.write_text(
        "import ptxvm\n"
        "device: ptxvm.Device = ptxvm.Device('h200', seed=3)\n"
        "finding: ptxvm.Finding\n"
        "launch = device.load('x')['k'][1, 32](3)\n"
        "reveal_type(launch.statistics.warp_instructions)\n"
    )
    import sys

    done = run(sys.executable, "-m", "mypy", "--strict", "typed.py")
    assert 'Revealed type is "builtins.int"' in done.stdout or 'Revealed type is "int"' in done.stdout, done.stdout
