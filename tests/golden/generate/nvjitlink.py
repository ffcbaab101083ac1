"""What NVIDIA's libnvJitLink answers to right and wrong calls: `python nvjitlink.py LIBRARY > ../nvjitlink/answers.json`.

It needs no GPU. Each case is a list of calls in a process of its own, since some wrong calls end the process (`crash`).
`crates/nvjitlink/tests/answers.rs` makes the same calls to our library. A call is a list: its name, its arguments, and
what was answered, the result first; for `get` the results of asking for the size and for the bytes, and of a log its
text. Files are those in `../nvjitlink`. `?` stands for a null pointer.
"""
import ctypes as C
import json
import os
import subprocess
import sys

NULL = "?"
HERE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "nvjitlink")
CUBIN, PTX, LTOIR, FATBIN, OBJECT, LIBRARY, INDEX, ANY = 1, 2, 3, 4, 5, 6, 7, 10
IMAGES = "../../../crates/cuda/tests/images/"
TEXT_FATBIN, HOST_OBJECT, HOST_ARCHIVE = (IMAGES + file for file in ("zstd.fatbin", "callee.o", "libcallee.a"))
ALL = ["LinkedCubin", "LinkedPtx", "ErrorLog", "InfoLog"]


def text(value):
    return None if value == NULL else value.encode()


class Session:
    """One handle of the library, and what is done with it."""

    def __init__(self, library):
        self.library, self.handle = C.CDLL(library), C.c_void_p()

    def version(self, what=""):
        major, minor = C.c_uint(), C.c_uint()
        return [self.library.nvJitLinkVersion(C.byref(major), None if what == NULL else C.byref(minor))]

    def create(self, *options):
        array = (C.c_char_p * max(1, len(options)))(*map(text, options))
        return [self.library.nvJitLinkCreate(C.byref(self.handle), len(options), array), bool(self.handle)]

    def create_null(self, what):
        handle = None if what == "handle" else C.byref(self.handle)
        return [self.library.nvJitLinkCreate(handle, 1, None if what == "options" else (C.c_char_p * 1)(b"-arch=sm_90"))]

    def add(self, kind, file, name):
        with open(os.path.join(HERE, file), "rb") as opened:
            data = opened.read()
        return [self.library.nvJitLinkAddData(self.handle, kind, data, C.c_size_t(len(data)), text(name))]

    def add_bytes(self, kind, data, size, name):
        return [self.library.nvJitLinkAddData(self.handle, kind, text(data), C.c_size_t(size), text(name))]

    def add_file(self, kind, file):
        file = None if file == NULL else os.path.join(HERE, file).encode()
        return [self.library.nvJitLinkAddFile(self.handle, kind, file)]

    def complete(self):
        return [self.library.nvJitLinkComplete(self.handle)]

    def get(self, what):
        size = C.c_size_t(12345)
        result = getattr(self.library, f"nvJitLinkGet{what}Size")(self.handle, C.byref(size))
        room = C.create_string_buffer(b"\xee" * (1 << 20), 1 << 20)
        answer = [result, getattr(self.library, f"nvJitLinkGet{what}")(self.handle, room)]
        if what.endswith("Log") and result == 0:
            answer.append(room.raw[: size.value].decode("latin1").rstrip("\0"))
        return answer

    def get_null(self, what):
        return [getattr(self.library, f"nvJitLinkGet{what}")(self.handle, None)]

    def forget(self):
        """Lets the handle be null from now on."""
        self.handle = C.c_void_p()
        return []

    def destroy(self, what=""):
        result = self.library.nvJitLinkDestroy(None if what == NULL else C.byref(self.handle))
        return [result, bool(self.handle)]


def options():
    """One option more than `-arch`, and `-arch` in every spelling."""
    more = """-lto -dlto -ptx -maxrregcount=32 -maxrregcount=-1 -maxrregcount= -maxrregcount=x -maxrregcount=100000 -time -verbose -O0 -O1
        -O3 -O -O4 -g -lineinfo -ftz=0 -ftz=1 -ftz=true -ftz=2 -ftz -prec-div=1 -prec-div=x -prec-sqrt=0 -fma=0 -fma=3
        -kernels-used=k -kernels-used= -variables-used=v -optimize-unused-variables -Xptxas=-v -Xptxas=--nonsense
        -Xptxas= -Xnvvm=-opt -split-compile=1 -split-compile=0 -split-compile=-1 -split-compile=x
        -split-compile-extended=1 -jump-table-density=50 -jump-table-density=200 -no-cache --no-cache
        -device-stack-protector --device-stack-protector=true -device-stack-protector=false -r -no-opt -fast-compile
        -Ofc=min -Ofc=nonsense -nonsense --lto lto -arch=sm_80 -I/usr -disable-smem-reserve""".split()
    arches = """-arch=sm_50 -arch=sm_70 -arch=sm_75 -arch=sm_80 -arch=sm_87 -arch=sm_90a -arch=sm_100 -arch=sm_100a -arch=sm_100f -arch=sm_101
        -arch=sm_103a -arch=sm_110a -arch=sm_120 -arch=sm_121f -arch=sm_130 -arch=sm_9 -arch=sm_90b -arch=sm_ -arch= -arch=compute_90 -arch=90 -arch=lto_90 -arch
        --arch=sm_90 -arch=SM_90 -arch=sm_80a -arch=sm_90f""".split()
    yield from ([["create"]], [["create", ""]], [["create", NULL]], [["create", "-arch=sm_90", NULL]])
    yield from ([["create", option]] for option in arches)
    yield from ([["create", "-arch=sm_90", option]] for option in [*more, ""])
    yield from ([["create", option, "-arch=sm_90"]] for option in ("-nonsense", "-lto"))
    for line in ("-ptx -lto", "-lto -ptx -r", "-g -lineinfo", "-g -O3", "-lto -split-compile=2", "-lto -ptx -split-compile-extended=2"):
        yield [["create", "-arch=sm_90", *line.split()]]
    yield from ([["create", f"-arch=compute_{n}", "-lto", "-ptx"]] for n in (90, "90a", 50, 130))


def inputs():
    """Every kind of input under every kind's name."""
    files = ["kernel.ptx", "empty.bin", "wrong.ptx", "words.txt", "device.ltoir", TEXT_FATBIN, HOST_OBJECT, HOST_ARCHIVE]
    for file in files:
        for kind in (0, CUBIN, PTX, LTOIR, FATBIN, OBJECT, LIBRARY, INDEX, 8, 9, ANY, 11):
            yield [["create", "-arch=sm_90"], ["add", kind, file, "input"]]
            yield [["create", "-arch=sm_90"], ["add_file", kind, file]]
    for file in ("device.ltoir", "kernel.ptx"):
        yield [["create", "-arch=sm_90", "-lto"], ["add", ANY, file, "input"]]
        yield [["create", "-arch=sm_90", "-lto"], ["add", LTOIR, file, "input"]]
    yield [["create", "-arch=sm_90"], ["add_file", PTX, "there_is_none.ptx"]]
    yield [["create", "-arch=sm_90"], ["add_file", ANY, "there_is_none.ptx"]]
    yield [["create", "-arch=sm_90"], ["add_file", PTX, "."]]
    yield [["create", "-arch=sm_90"], ["add_file", PTX, NULL]]
    for kind in (PTX, CUBIN, ANY, LTOIR):
        yield [["create", "-arch=sm_90"], ["add_bytes", kind, NULL, 10, "input"]]
        yield [["create", "-arch=sm_90"], ["add_bytes", kind, NULL, 0, "input"]]
        yield [["create", "-arch=sm_90"], ["add_bytes", kind, ".version 8.0", 0, "input"]]
    yield [["create", "-arch=sm_90"], ["add", PTX, "kernel.ptx", NULL]]


def links():
    """Links that succeed and fail."""
    def link(line, *files):
        adds = [["add", kind, file, file] for kind, file in files]
        return [["create", *line.split()], *adds, ["complete"]]

    ptx = lambda *names: [(PTX, f"{name}.ptx") for name in names]
    yield link("-arch=sm_90")
    for names in (["kernel"], ["caller", "callee"], ["callee", "caller"], ["caller"], ["kernel", "kernel"], ["callee", "callee"], ["wrong"],
                  ["kernel", "wrong"], ["newer_target"], ["arch_target"], ["caller", "other_callee"], ["weak", "callee"], ["weak", "weak"],
                  ["missing_variable"], ["print"]):
        yield link("-arch=sm_90", *ptx(*names))
    yield link("-arch=sm_90a", *ptx("arch_target"))
    yield link("-arch=sm_90", *ptx("wrong", "kernel"))
    yield link("-arch=sm_80", *ptx("kernel"))
    yield link("-arch=sm_90 -r", *ptx("caller"))
    yield link("-arch=sm_90 -lto", *ptx("kernel"))
    yield link("-arch=sm_90 -lto -ptx", *ptx("kernel"))
    yield link("-arch=sm_90 -lto")
    yield link("-arch=sm_90 -lto -ptx")
    yield link("-arch=sm_90 -kernels-used=other", *ptx("kernel"))
    yield link("-arch=sm_90", (FATBIN, TEXT_FATBIN))
    yield link("-arch=sm_90", (FATBIN, IMAGES + "newer.fatbin"))
    yield link("-arch=sm_75", (FATBIN, IMAGES + "several.fatbin"))
    yield link("-arch=sm_90", *ptx("callee", "other_callee"))
    yield link("-arch=sm_90", (OBJECT, HOST_OBJECT))
    yield link("-arch=sm_90", (LIBRARY, HOST_ARCHIVE))


def order():
    """Calls at the wrong time, and null pointers."""
    yield [["version"]]
    yield [["version", NULL]]
    yield [["create_null", "handle"]]
    yield [["create_null", "options"]]
    for call in (["add", PTX, "kernel.ptx", "x"], ["add_file", PTX, "kernel.ptx"], ["complete"], ["destroy"], ["destroy", NULL],
                 *(["get", what] for what in ALL), *(["get_null", f"{what}Size"] for what in ALL)):
        yield [call]
    begun = [["create", "-arch=sm_90"], ["add", PTX, "kernel.ptx", "x"]]
    done = [*begun, ["complete"]]
    yield [["create", "-arch=sm_90"], ["destroy"], ["destroy"]]
    for what in ALL:
        yield [*begun, ["get", what]]
        yield [*done, ["get", what]]
        yield [*done, ["get_null", what]]
        yield [*done, ["get_null", f"{what}Size"]]
    yield [*done, ["complete"], ["get", "LinkedCubin"]]
    yield [*done, ["add", PTX, "callee.ptx", "x"], ["complete"]]
    yield [*begun, ["add", PTX, "wrong.ptx", "wrong"], ["complete"], ["get", "LinkedCubin"]]
    yield [*begun, ["add_file", PTX, "there_is_none.ptx"], ["complete"], ["get", "LinkedCubin"]]
    yield [["create", "-nonsense"], ["get", "ErrorLog"], ["add", PTX, "kernel.ptx", "x"], ["complete"]]
    yield [["create", "-arch=sm_90", "-lto"], ["complete"], ["complete"]]


def cases():
    log = ["get", "ErrorLog"]
    for steps in (*options(), *inputs()):
        yield [*steps, log, ["destroy"]]
    for steps in links():
        yield [*steps, *(["get", what] for what in ALL), ["destroy"]]
    yield from order()


def run(library, steps):
    """The steps with their answers; what ends the process is made up for by `main`."""
    session = Session(library)
    for step in steps:
        print(json.dumps(getattr(session, step[0])(*step[1:])), flush=True)


def main(library):
    recorded = []
    for steps in cases():
        child = subprocess.run([sys.executable, __file__, library, json.dumps(steps)], capture_output=True, text=True, timeout=300)
        answers = [json.loads(line) for line in child.stdout.splitlines()]
        if child.returncode:
            answers.append("crash")
        recorded.append([[*step, answer] for step, answer in zip(steps, answers)])
    major, minor = C.c_uint(), C.c_uint()
    C.CDLL(library).nvJitLinkVersion(C.byref(major), C.byref(minor))
    lines = ",\n".join(json.dumps(case).replace(HERE, "") for case in recorded)
    print(f'{{"version": [{major.value}, {minor.value}], "cases": [\n{lines}\n]}}')


if __name__ == "__main__":
    if len(sys.argv) == 3:
        run(sys.argv[1], json.loads(sys.argv[2]))
    else:
        main(os.path.abspath(sys.argv[1]))
