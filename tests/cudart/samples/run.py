"""Builds and runs NVIDIA's cuda-samples, from a checkout of them, with ptxvm's libcudart.

    run.py CHECKOUT CUDA TARGET BUILT [PATTERN]

CUDA is the folder of nvcc, TARGET that of the ptxvm command and its libraries, BUILT the folder to build and run in: the
samples are copied there, since many write beside their data. A sample is built as its CMakeLists.txt says: its sources, its
compiled kernels, its libraries, separate compilation. It passes if it ends with 0 and does not say itself that it failed.
`others.txt` names those that are not run, each with its reason; a sample that is in neither list is run too.
"""

import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import time

FOLDERS = "[0-6]_*"
SECONDS = 600
# What a sample prints of its own verdict when it did not pass, though some end with 0 then.
FAILED = re.compile(r"^.*(\bFAILED\b|\bFAIL\b|[Tt]est failed|\b[Ww]aiv(ed|ing)\b).*$", re.MULTILINE)
# What a sample needs besides: it names a tuple without the header, which newer Thrusts no longer bring with others.
OPTIONS = {"segmentationTreeThrust": ["-include", "thrust/tuple.h"]}
# Arguments by which a sample does less of the same, where it takes such.
ARGUMENTS = {
    "radixSortThrust": ["-n=65536", "-iterations=1"],
    "reductionMultiBlockCG": ["--n=1048576"],
}


def others():
    """The samples that are not run, with the reason of each."""
    lines = pathlib.Path(__file__).with_name("others.txt").read_text().splitlines()
    return dict(line.split(": ", 1) for line in lines if line and not line.startswith("#"))


class Sample:
    """One sample: its folder in the copy, and what its CMakeLists.txt says."""

    def __init__(self, folder):
        self.folder = folder
        self.name = folder.name
        self.cmake = re.sub(r"#.*", "", (folder / "CMakeLists.txt").read_text())

    def sources(self):
        listed = re.search(r"add_executable\s*\(\s*\S+\s+([^)]*)\)", self.cmake).group(1)
        return [word for word in listed.split() if "." in word]

    def kernels(self):
        """The files of code that the sample loads itself: kind, file and source."""
        file = re.search(r"set\(CUDA_(FATBIN|PTX)_FILE \"\$\{CMAKE_CURRENT_BINARY_DIR\}/(\S+)\"\)", self.cmake)
        source = re.search(r"set\(CUDA_KERNEL_SOURCE \"\$\{CMAKE_CURRENT_SOURCE_DIR\}/(\S+)\"\)", self.cmake)
        return (file.group(1).lower(), file.group(2), source.group(1)) if file and source else None

    def libraries(self):
        names = {"CUDA::cuda_driver": "-lcuda", "OpenMP::OpenMP_CXX": "-lgomp"}
        found = [flag for name, flag in names.items() if name in self.cmake]
        return found + ["-lrt", "-lpthread", "-ldl"]

    def build(self, cuda, target):
        nvcc = [str(cuda / "bin/nvcc"), "-cudart", "shared", "-I../../../Common", "-I.", "-Iinc", "-w"]
        # Machine code too where parts are linked: nvcc's linker knows no other.
        separate = "CUDA_SEPARABLE_COMPILATION ON" in self.cmake
        architecture = ["-arch=sm_90", "-rdc=true"] if separate else ["-arch=compute_90"]
        options = ["-std=c++17", "--extended-lambda", "-lineinfo", "-L", str(target)]
        options += OPTIONS.get(self.name, [])
        options += re.findall(r"--?maxrregcount=\d+", self.cmake)
        if "OpenMP" in self.cmake:
            options += ["-Xcompiler", "-fopenmp"]
        if kernels := self.kernels():
            kind, file, source = kernels
            self.run([*nvcc, "-arch=sm_90" if kind == "fatbin" else "-arch=compute_90", f"-{kind}", "-o", file, source], 600)
        self.run([*nvcc, *architecture, *options, "-o", self.name, *self.sources(), *self.libraries()], 600)

    def run(self, command, seconds):
        """Runs a command in the sample's folder; what it printed, if it ended with 0."""
        pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.STDOUT, "stdin": subprocess.DEVNULL}
        with subprocess.Popen(command, cwd=self.folder, start_new_session=True, **pipes) as ran:
            try:
                said = ran.communicate(timeout=seconds)[0].decode(errors="replace")
            except subprocess.TimeoutExpired:
                # The command and all that it has started.
                os.killpg(ran.pid, signal.SIGKILL)
                raise Wrong(f"it took more than {seconds} s") from None
        if ran.returncode != 0:
            raise Wrong(f"it ended with {ran.returncode}", said)
        return said

    def passes(self, target):
        program = [str(target / "ptxvm"), "exec", "--status", "command", "--", f"./{self.name}", *ARGUMENTS.get(self.name, [])]
        said = self.run(program, SECONDS)
        (self.folder / "said.txt").write_text(said)
        if verdict := FAILED.search(said):
            raise Wrong(f"it says `{verdict.group(0).strip()}`", said)


class Wrong(Exception):
    """Why a sample did not pass, and what was printed."""

    def __init__(self, why, said=""):
        super().__init__(why)
        self.said = said


def main():
    checkout, cuda, target, built = (pathlib.Path(path).absolute() for path in sys.argv[1:5])
    pattern = sys.argv[5] if len(sys.argv) > 5 else ""
    left_out = others()
    shutil.copytree(checkout / "Common", built / "Common", dirs_exist_ok=True)
    folders = sorted(path.parent for path in checkout.glob(f"Samples/{FOLDERS}/*/CMakeLists.txt"))
    if not folders:
        sys.exit(f"{checkout} is no checkout of cuda-samples: it has no Samples/0_Introduction")
    unknown = set(left_out) - {folder.name for folder in folders}
    passed, failed, skipped = 0, [], 0
    for folder in folders:
        if pattern not in f"{folder.parent.name}/{folder.name}":
            continue
        if folder.name in left_out:
            skipped += 1
            continue
        place = built / "Samples" / folder.parent.name / folder.name
        shutil.copytree(folder, place, dirs_exist_ok=True)
        sample, began = Sample(place), time.monotonic()
        try:
            if not (place / sample.name).exists():
                sample.build(cuda, target)
            ready = time.monotonic()
            sample.passes(target)
            passed += 1
            print(f"{sample.name}: ok, built in {ready - began:.1f} s, ran {time.monotonic() - ready:.1f} s", flush=True)
        except Wrong as wrong:
            failed.append(sample.name)
            print(f"{sample.name}: {wrong}\n{indented(wrong.said)}", flush=True)
    print(f"{passed} samples passed, {len(failed)} failed, {skipped} are not run (others.txt)")
    if unknown:
        print(f"others.txt names samples that the checkout has not: {', '.join(sorted(unknown))}")
    sys.exit(1 if failed else 0)


def indented(said):
    lines = said.strip().splitlines()
    return "\n".join(f"    {line}" for line in lines[-12:])


if __name__ == "__main__":
    main()
