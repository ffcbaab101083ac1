"""Compiles kernels/*.cu to PTX beside them with NVRTC; only needed after a change of a kernel.

    python3 -m venv /tmp/nvrtc && /tmp/nvrtc/bin/pip install nvidia-cuda-nvrtc-cu12==12.9.86
    /tmp/nvrtc/bin/python mkptx.py [rows ...]

The target is compute_70, so that every device profile runs the result; 12.9 is the last NVRTC that has it.
`six.ptx` is older (NVRTC 12.4) and stays as it is, so that its times can be compared with earlier ones.
"""

import ctypes
import pathlib
import sys

import nvidia.cuda_nvrtc

HERE = pathlib.Path(__file__).parent / "kernels"
LIBRARY = next(iter(pathlib.Path(next(iter(nvidia.cuda_nvrtc.__path__))).glob("lib/libnvrtc.so.*")))
OPTIONS = ["--gpu-architecture=compute_70", f"--include-path={HERE}"]


def compiled(nvrtc, source: pathlib.Path) -> str:
    """The PTX of a file."""
    program = ctypes.c_void_p()
    text = source.read_bytes()
    if nvrtc.nvrtcCreateProgram(ctypes.byref(program), text, source.name.encode(), 0, None, None):
        sys.exit("nvrtcCreateProgram failed")
    options = (ctypes.c_char_p * len(OPTIONS))(*(option.encode() for option in OPTIONS))
    failed = nvrtc.nvrtcCompileProgram(program, len(OPTIONS), options)
    if failed:
        sys.exit(result(nvrtc.nvrtcGetProgramLogSize, nvrtc.nvrtcGetProgramLog, program))
    return result(nvrtc.nvrtcGetPTXSize, nvrtc.nvrtcGetPTX, program)


def result(size_of, get, program) -> str:
    """A text that NVRTC hands out after it has said its size."""
    size = ctypes.c_size_t()
    size_of(program, ctypes.byref(size))
    text = ctypes.create_string_buffer(size.value)
    get(program, text)
    return text.value.decode()


def main():
    nvrtc = ctypes.CDLL(str(LIBRARY))
    names = sys.argv[1:] or sorted(path.stem for path in HERE.glob("*.cu") if path.stem != "six")
    for name in names:
        ptx = compiled(nvrtc, HERE / f"{name}.cu")
        (HERE / f"{name}.ptx").write_text(ptx)
        print(f"{name}.ptx: {ptx.count('.visible .entry')} kernels, {len(ptx.splitlines())} lines")


if __name__ == "__main__":
    main()
