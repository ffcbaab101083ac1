"""Runs on an H200 what capture.py wrote down, and keeps the bytes that the tensors hold afterwards.

    python replay.py OUT.npz SM_90.pickle SM_80.pickle …

A target other than sm_90 comes after it: only what is different is kept. Needs a driver and NumPy, nothing else.
"""

import ctypes as C
import pickle
import sys

import numpy as np

LIB = C.CDLL("libcuda.so.1")


def ask(result, what):
    if result != 0:
        raise RuntimeError(f"{what}: the driver answered {result}")


def run(test, images, functions):
    """One test: its buffers go up, its launches run in order, and its buffers come back."""
    pointers = []
    for data in test["buffers"]:
        pointer = C.c_uint64()
        ask(LIB.cuMemAlloc_v2(C.byref(pointer), C.c_size_t(max(len(data), 1))), "cuMemAlloc")
        ask(LIB.cuMemcpyHtoD_v2(pointer, data, C.c_size_t(len(data))), "cuMemcpyHtoD")
        pointers.append(pointer)
    for launch in test["launches"]:
        key = launch["image"], launch["name"]
        if key not in functions:
            module, function = C.c_void_p(), C.c_void_p()
            ask(LIB.cuModuleLoadData(C.byref(module), images[launch["image"]]), "cuModuleLoadData")
            ask(LIB.cuModuleGetFunction(C.byref(function), module, launch["name"].encode()), "cuModuleGetFunction")
            functions[key] = function
        function = functions[key]
        if launch["shared"] > 48 * 1024:
            ask(LIB.cuFuncSetAttribute(function, 8, launch["shared"]), "cuFuncSetAttribute")
        values = [pointers[value] if kind == "buffer" else (C.c_ubyte * len(value)).from_buffer_copy(value)
                  for kind, value in launch["arguments"]]
        values += [C.c_uint64(0), C.c_uint64(0)]
        parameters = (C.c_void_p * len(values))(*[C.addressof(value) for value in values])
        ask(LIB.cuLaunchKernel(function, *map(C.c_uint, launch["grid"]), C.c_uint(launch["threads"]), 1, 1,
                               C.c_uint(launch["shared"]), None, parameters, None), "cuLaunchKernel")
    ask(LIB.cuCtxSynchronize(), "cuCtxSynchronize")
    results = []
    for pointer, data in zip(pointers, test["buffers"]):
        result = np.empty(len(data), np.uint8)
        ask(LIB.cuMemcpyDtoH_v2(result.ctypes.data_as(C.c_void_p), pointer, C.c_size_t(len(data))), "cuMemcpyDtoH")
        results.append(result)
        ask(LIB.cuMemFree_v2(pointer), "cuMemFree")
    return results


def main():
    context = C.c_void_p()
    ask(LIB.cuInit(0), "cuInit")
    ask(LIB.cuDevicePrimaryCtxRetain(C.byref(context), 0), "cuDevicePrimaryCtxRetain")
    ask(LIB.cuCtxSetCurrent(context), "cuCtxSetCurrent")
    answers = {}
    for path in sys.argv[2:]:
        with open(path, "rb") as file:
            captured = pickle.load(file)
        functions = {}
        for name, test in captured["tests"].items():
            first = run(test, captured["images"], functions)
            again = run(test, captured["images"], functions)
            if not all(np.array_equal(a, b) for a, b in zip(first, again)):
                print(f"sm_{captured['sm']}/{name}: not the same twice, left out")
                continue
            for index, (result, before) in enumerate(zip(first, test["buffers"])):
                key = f"{name}/{index}"
                if captured["sm"] == 90 and result.tobytes() != before:
                    answers[key] = result
                elif captured["sm"] != 90 and not np.array_equal(result, answers.get(key, np.frombuffer(before, np.uint8))):
                    answers[f"sm_{captured['sm']}/{key}"] = result
    np.savez_compressed(sys.argv[1], **answers)
    print(f"{len(answers)} tensors recorded")


if __name__ == "__main__":
    main()
