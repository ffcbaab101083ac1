"""`ptxvm exec --save-launch` writes launches that `ptxvm run` replays to the bytes that the program got."""

import re
import shlex
from pathlib import Path

import pytest

from conftest import BIN

# Every program leaves the bytes that its kernels have left in `NAME.bin`, for the memory that a replay calls NAME.
TRITON = """
import numpy as np, ptxvm, triton, triton.language as tl

@triton.jit
def softmax(y, x, columns, BLOCK: tl.constexpr):
    row, at = tl.program_id(0), tl.arange(0, BLOCK)
    values = tl.load(x + row * columns + at, mask=at < columns, other=-float("inf"))
    powers = tl.exp(values - tl.max(values))
    tl.store(y + row * columns + at, powers / tl.sum(powers), mask=at < columns)

x = ptxvm.Tensor(np.random.default_rng(0).normal(size=(16, 100)).astype(np.float32))
y = ptxvm.Tensor.zeros((16, 100))
softmax[(16,)](y, x, 100, BLOCK=128)
open("p0.bin", "wb").write(y.numpy().tobytes())
"""

NUMBA = """
import numpy as np
from numba import cuda

@cuda.jit
def add(x, y):
    shared = cuda.shared.array(0, np.float32)
    at = cuda.grid(1)
    shared[cuda.threadIdx.x] = x[at]
    cuda.syncthreads()
    if at < y.size:
        cuda.atomic.add(y, at // 2, 3 * shared[cuda.blockDim.x - 1 - cuda.threadIdx.x])

x, y = cuda.to_device(np.arange(256, dtype=np.float32)), cuda.to_device(np.ones(256, np.float32))
add[2, 128, 0, 512](x, y)
first = y.copy_to_host()
add[2, 128, 0, 512](x, y)
# Numba passes an array as seven words, of which the fifth is the address.
open("p11.bin", "wb").write(first.tobytes())
"""

# The driver's own interface: a constant and a variable that the host has written, a list whose links lie in memory, an array
# of the host's, a structure by value, clusters, and a second text.
DRIVER = r"""
import ctypes, struct
HEAD = ".version 8.0\n.target sm_90\n.address_size 64\n"
MAIN = HEAD + '''
// ptxvm: run --grid 7
.visible .const .align 4 .u32 factor;
.visible .global .align 8 .u64 list;
.visible .global .align 4 .u32 calls = 5;
.extern .func (.param .u32 r) twice(.param .u32 x);
.visible .entry walk(.param .align 8 .b8 s[24], .param .u32 n, .param .f32 f)
{
    .reg .pred %p;
    .reg .u32 %v, %n, %t, %c, %k;
    .reg .u64 %l, %o, %h, %a;
    .reg .f32 %f;
    .param .u32 i, r;
    mov.u32 %t, %tid.x;
    mov.u32 %c, %ctaid.x;
    setp.ne.u32 %p, %t, 0;
    @%p bra END;
    ld.param.u64 %o, [s];
    ld.param.u64 %h, [s+8];
    ld.param.u32 %k, [s+16];
    ld.param.f32 %f, [f];
    cvt.rni.u32.f32 %n, %f;
    ld.global.u64 %l, [list];
    mov.u32 %v, 0;
NEXT:
    setp.eq.u64 %p, %l, 0;
    @%p bra DONE;
    ld.u32 %t, [%l+8];
    add.u32 %v, %v, %t;
    ld.u64 %l, [%l];
    bra NEXT;
DONE:
    st.param.u32 [i], %v;
    call (r), twice, (i);
    ld.param.u32 %v, [r];
    ld.const.u32 %t, [factor];
    mad.lo.u32 %v, %v, %t, %k;
    ld.u32 %t, [%h];
    add.u32 %v, %v, %t;
    add.u32 %v, %v, %n;
    mad.wide.u32 %a, %c, 4, %o;
    st.global.u32 [%a], %v;
    atom.global.add.u32 %t, [calls], 1;
    mov.u32 %t, %cluster_nctaid.x;
    st.u32 [%h+4], %t;
END:
    ret;
}
'''
SECOND = HEAD + '''
.visible .func (.param .u32 r) twice(.param .u32 x)
{
    .reg .u32 %x;
    ld.param.u32 %x, [x];
    shl.b32 %x, %x, 1;
    st.param.u32 [r], %x;
    ret;
}
'''
cuda = ctypes.CDLL("libcuda.so.1")
u64, u32 = ctypes.c_uint64, ctypes.c_uint32

def call(name, *arguments):
    answer = getattr(cuda, name)(*arguments)
    assert answer == 0, (name, answer)

def out(name, *arguments):
    value = u64()
    call(name, ctypes.byref(value), *arguments)
    return value

def allocate(content):
    address = out("cuMemAlloc_v2", ctypes.c_size_t(len(content)))
    call("cuMemcpyHtoD_v2", address, content, ctypes.c_size_t(len(content)))
    return address.value

def read(address, count):
    bytes = (ctypes.c_char * count)()
    call("cuMemcpyDtoH_v2", bytes, u64(address), ctypes.c_size_t(count))
    return bytes.raw

call("cuInit", 0)
context = out("cuDevicePrimaryCtxRetain", 0)
call("cuCtxSetCurrent", context)
link = u64()
call("cuLinkCreate_v2", 0, None, None, ctypes.byref(link))
for name, text in (b"main.ptx", MAIN), (b"second.ptx", SECOND):
    text = text.encode() + b"\0"
    call("cuLinkAddData_v2", link, 1, text, ctypes.c_size_t(len(text)), name, 0, None, None)
image, size = ctypes.c_void_p(), ctypes.c_size_t()
call("cuLinkComplete", link, ctypes.byref(image), ctypes.byref(size))
module = out("cuModuleLoadData", image)
function = out("cuModuleGetFunction", module, b"walk")

def variable(name, content=None):
    address, bytes = u64(), ctypes.c_size_t()
    call("cuModuleGetGlobal_v2", ctypes.byref(address), ctypes.byref(bytes), module, name)
    if content:
        call("cuMemcpyHtoD_v2", address, content, ctypes.c_size_t(len(content)))
    return read(address.value, bytes.value)

before = allocate(bytes(5000000))  # what is before it is free again in a replay
third = allocate(struct.pack("<QI4x", 0, 1000))
second = allocate(struct.pack("<QI4x", third, 100) + bytes(100))
first = allocate(struct.pack("<QI4x", second, 10) + bytes(2000000))
call("cuMemFree_v2", u64(before))
variable(b"list", struct.pack("<Q", first))
variable(b"factor", struct.pack("<I", 3))
result = allocate(bytes(64))
libc = ctypes.CDLL(None)
libc.malloc.restype = ctypes.c_void_p
host = libc.malloc(ctypes.c_size_t(1000))
ctypes.memset(host, 0, 1000)
ctypes.memmove(host, struct.pack("<I", 7), 4)
structure = ctypes.create_string_buffer(struct.pack("<QQI4x", result + 16, host, 70000), 24)
number, real = u32(9), ctypes.c_float(0.1 + 40000)
values = (ctypes.c_void_p * 3)(*(ctypes.addressof(value) for value in (structure, number, real)))

class Attribute(ctypes.Structure):
    _fields_ = [("id", u32), ("pad", u32), ("value", u32 * 16)]

class Config(ctypes.Structure):
    _fields_ = [("shape", u32 * 7), ("stream", ctypes.c_void_p), ("attributes", ctypes.c_void_p), ("count", u32)]

cluster = Attribute(4, 0, (u32 * 16)(2, 1, 1))
cooperative = Attribute(2, 0, (u32 * 16)(1))
both = (Attribute * 2)(cluster, cooperative)
config = Config((u32 * 7)(8, 1, 1, 32, 1, 1, 4096), None, ctypes.addressof(both), 2)
call("cuLaunchKernelEx", ctypes.byref(config), function, values, None)
call("cuCtxSynchronize")
words = struct.unpack("<16I", read(result, 64))
assert words[4:12] == (2 * 1110 * 3 + 70000 + 7 + 40000,) * 8, words
open("p0.bin", "wb").write(read(result, 64))
open("p0_8.bin", "wb").write(ctypes.string_at(host, 1000))
open("calls.bin", "wb").write(variable(b"calls"))
"""


def folders(launches: Path) -> list[str]:
    return sorted(folder.name for folder in launches.iterdir())


@pytest.mark.parametrize(
    "program, kernel, names",
    [(TRITON, "softmax", ["p0"]), (NUMBA, "add", ["p11"]), (DRIVER, "walk", ["p0", "p0_8", "calls"])],
    ids=["triton", "numba", "driver"],
)
def test_a_replay_leaves_the_same_bytes(python, run, tmp_path, program, kernel, names):
    python(program, "--device", "h100", "--seed", "3", "--save-launch", "launches")
    first = folders(tmp_path / "launches")[0]
    assert first.startswith("0001-") and kernel in first, first
    text = tmp_path / "launches" / first / "kernel.ptx"
    saves = [word for name in names for word in ("--save", f"{name}=replayed-{name}.bin")]
    run(BIN / "ptxvm", "run", text, *saves)
    for name in names:
        replayed, program_has = ((tmp_path / f).read_bytes() for f in (f"replayed-{name}.bin", f"{name}.bin"))
        assert replayed == program_has, name
    assert "--device h100" in text.read_text() and "--seed 3" in text.read_text()
    # A launch that is moved to another folder is the same launch.
    (tmp_path / "launches").rename(tmp_path / "elsewhere of mine")
    run(BIN / "ptxvm", "run", tmp_path / "elsewhere of mine" / first / "kernel.ptx", "--quiet")


def test_a_finding_is_replayed_at_its_line(python, run, tmp_path):
    wrong = TRITON.replace("mask=at < columns)\n\nx", "mask=at < columns + 28)\n\nx")
    done = python(wrong, "--device", "h200", "--save-launch", "launches", status=None)
    place = re.search(r"--> (?:PTX|.*?):(\d+:\d+)", done.stderr)[1]
    replayed = run(BIN / "ptxvm", "run", tmp_path / "launches" / "0001-softmax" / "kernel.ptx", status=3)
    assert "error[out-of-bounds]" in done.stderr and "error[out-of-bounds]" in replayed.stderr
    assert re.search(r"--> .*kernel\.ptx:(\d+:\d+)", replayed.stderr)[1] == place


def test_which_launches_and_how_many(python, tmp_path):
    def launches(value, folder, expected_words=""):
        done = python(NUMBA, "--save-launch", f"{folder}{value}")
        assert expected_words in done.stderr and done.stderr.count("--save-launch") == bool(expected_words), done.stderr
        return folders(tmp_path / folder) if (tmp_path / folder).exists() else []

    assert len(launches("", "all")) == 2
    assert len(launches("", "all")) == 4, "a second run goes on after the first"
    assert launches(",kernel=nothing", "none") == []
    assert len(launches(",kernel=add", "named")) == 2
    assert len(launches(",launches=1", "one", "1 launches have been written")) == 1
    assert launches(",bytes=1000", "few", "bytes=SIZE allows more") == []


def test_a_folder_that_cannot_be_written(python, run, tmp_path):
    (tmp_path / "file").write_text("")
    for place in "file", "file/below", "/proc/launches":
        done = python(NUMBA, "--save-launch", place)
        assert done.stderr.count("--save-launch: no launch is written") == 1, done.stderr
    wrong = run(BIN / "ptxvm", "exec", "--save-launch", "x,launch=1", "--", "true", status=1)
    assert "there are kernel=NAME, launches=N and bytes=SIZE" in wrong.stderr


def test_what_lies_beside_the_file_is_read_and_nothing_else(run, tmp_path):
    def text(words):
        return f"// ptxvm: run {words}\n.version 8.0\n.target sm_80\n.address_size 64\n.visible .entry k(.param .u64 p) {{ ret; }}\n"

    (tmp_path / "a folder").mkdir()
    (tmp_path / "secret.bin").write_bytes(b"secret")
    (tmp_path / "a folder" / "x.bin").write_bytes(b"12345678")
    (tmp_path / "a folder" / "link.bin").symlink_to(tmp_path / "secret.bin")
    file = tmp_path / "a folder" / "k.ptx"

    def ran(words, status):
        file.write_text(text(words))
        done = run(BIN / "ptxvm", "run", file, status=status)
        return done.stdout + done.stderr

    assert "u32[2]" in ran("--arg p=u32[2]=@./x.bin", 0)
    assert "u8[8]" in ran("--arg 0 --map 'm=@./x.bin at 0x200000000000'", 0)
    assert "u8[8]" in ran("--arg 0 --map 'm=@./x.bin at 0x123456789000'", 0)
    assert "leads out of the folder" in ran("--arg @./../secret.bin", 1)
    assert "leads out of the folder" in ran("--arg @./link.bin", 1)
    assert "cannot be read" in ran("--arg @./nothing.bin", 1)
    assert "--trust-launch-line" in ran("--arg @x.bin", 1)
    assert "--trust-launch-line" in ran("--arg @./x.bin --map m=@/etc/passwd", 1)
    # Two at one place, no address of a process, where null pointers lead, and places where no driver puts this.
    for wrong in [
        "--map 'a=u8[9] at 0x200000000000' --map 'b=u8[9] at 0x200000000000'",
        "--map 'a=u8[9] at 0xffffffffffff0000'",
        "--map 'a=u8[9] at 0x10'",
        "--map 'a=u8[9] at 0x200000000010'",
        "--map 'a=u8[2000000] at 0x200000000200'",
    ]:
        said = ran(f"--arg 0 {wrong}", 1)
        assert "cannot lie at" in said and "the host has no memory" not in said, said
    assert "goes with --seeds not at all" in run(
        BIN / "ptxvm", "run", file, "--map", "a=u8[9] at 0x200000400000", "--seeds", "0..2", status=1
    ).stderr


def test_several_launch_lines_and_processes(python, run, tmp_path):
    """Two processes write to one folder at once, and no launch is lost or mixed up."""
    program = f"import os\npid = os.fork()\n{NUMBA}\nif pid:\n    assert os.waitpid(pid, 0)[1] == 0\n"
    python(program, "--save-launch", "launches")
    names = folders(tmp_path / "launches")
    assert len(names) == 4, names
    for name in names:
        text = (tmp_path / "launches" / name / "kernel.ptx").read_text()
        lines = [line.removeprefix("// ptxvm: run ") for line in text.splitlines() if line.startswith("// ptxvm: run ")]
        assert "--grid" in shlex.split(lines[0])
        run(BIN / "ptxvm", "run", tmp_path / "launches" / name / "kernel.ptx", "--quiet")


def test_what_is_not_replayed_is_said(python, run, tmp_path, root):
    """A kernel that reads a texture's handle finds none in a replay."""
    program = DRIVER.replace("ld.u32 %t, [%h];", "ld.u32 %t, [%h];\n    tex.1d.v4.u32.s32 {%v, %t, %t, %t}, [%l, {%t}];", 1)
    assert program != DRIVER
    python(program, "--save-launch", "launches", "--findings", "report", status=None)
    (name,) = folders(tmp_path / "launches")
    replayed = run(BIN / "ptxvm", "run", tmp_path / "launches" / name / "kernel.ptx", status=None)
    assert "ptxvm: not replayed: textures and surfaces" in replayed.stderr
