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


def encode(tensor_map, pointers):
    """A tensor map in the driver's bytes, for the address that a buffer has here."""
    rank = len(tensor_map["sizes"])
    # The driver wants one stride less than there are sizes, but reads none where there is but one size.
    sizes, strides = (C.c_uint64 * rank)(*tensor_map["sizes"]), (C.c_uint64 * rank)(*tensor_map["strides"])
    box, ones = (C.c_uint32 * rank)(*tensor_map["box"]), (C.c_uint32 * rank)(*[1] * rank)
    # 64 bytes of alignment, which ctypes does not give.
    memory = (C.c_ubyte * 192)()
    encoded = (C.c_ubyte * 128).from_buffer(memory, -C.addressof(memory) % 64)
    ask(LIB.cuTensorMapEncodeTiled(C.byref(encoded), C.c_int(tensor_map["type"]), C.c_uint32(rank),
                                   C.c_void_p(pointers[tensor_map["buffer"]].value), sizes, strides, box, ones, C.c_int(0),
                                   C.c_int(tensor_map["swizzle"]), C.c_int(2), C.c_int(0)), "cuTensorMapEncodeTiled")
    return encoded


class Attribute(C.Structure):
    """CUlaunchAttribute, of which clusters and dependent launches are set here."""

    _fields_ = [("id", C.c_int), ("pad", C.c_int), ("value", C.c_uint32 * 16)]


class Configuration(C.Structure):
    """CUlaunchConfig."""

    _fields_ = [("grid", C.c_uint * 3), ("block", C.c_uint * 3), ("shared", C.c_uint), ("stream", C.c_void_p),
                ("attributes", C.POINTER(Attribute)), ("count", C.c_uint)]


def start(function, launch, parameters):
    """As Triton starts a kernel: the CTAs of a cluster lie along x."""
    attributes = []
    if launch["ctas"] > 1:
        attributes.append(Attribute(4, 0, (C.c_uint32 * 16)(launch["ctas"], 1, 1)))
    if launch["dependent"]:
        attributes.append(Attribute(6, 0, (C.c_uint32 * 16)(1)))
    x, y, z = launch["grid"]
    list = (Attribute * max(len(attributes), 1))(*attributes)
    configuration = Configuration((x * launch["ctas"], y, z), (launch["threads"], 1, 1), launch["shared"], None, list,
                                  len(attributes))
    ask(LIB.cuLaunchKernelEx(C.byref(configuration), function, parameters, None), "cuLaunchKernelEx")


def run(test, images, functions):
    """One test: its buffers go up, its launches run in order, and its buffers come back."""
    pointers, scratch = [], []
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
        values = []
        for kind, value in launch["arguments"]:
            if kind == "buffer":
                values.append(pointers[value])
            elif kind == "map":
                values.append(encode(value, pointers))
            else:
                values.append((C.c_ubyte * len(value)).from_buffer_copy(value))
        own = C.c_uint64(0)
        if launch["scratch"]:
            ask(LIB.cuMemAlloc_v2(C.byref(own), C.c_size_t(launch["scratch"])), "cuMemAlloc")
            scratch.append(own)
        values += [own, C.c_uint64(0)]
        parameters = (C.c_void_p * len(values))(*[C.addressof(value) for value in values])
        start(function, launch, parameters)
    ask(LIB.cuCtxSynchronize(), "cuCtxSynchronize")
    results = []
    for pointer, data in zip(pointers, test["buffers"]):
        result = np.empty(len(data), np.uint8)
        ask(LIB.cuMemcpyDtoH_v2(result.ctypes.data_as(C.c_void_p), pointer, C.c_size_t(len(data))), "cuMemcpyDtoH")
        results.append(result)
    for pointer in pointers + scratch:
        ask(LIB.cuMemFree_v2(pointer), "cuMemFree")
    return results


def begin():
    """A context of our own making; a kernel that faults takes the one before it along."""
    context = C.c_void_p()
    ask(LIB.cuInit(0), "cuInit")
    ask(LIB.cuDevicePrimaryCtxReset_v2(0), "cuDevicePrimaryCtxReset")
    ask(LIB.cuDevicePrimaryCtxRetain(C.byref(context), 0), "cuDevicePrimaryCtxRetain")
    ask(LIB.cuCtxSetCurrent(context), "cuCtxSetCurrent")


def main():
    begin()
    answers = {}
    for path in sys.argv[2:]:
        with open(path, "rb") as file:
            captured = pickle.load(file)
        functions = {}
        for name, test in captured["tests"].items():
            try:
                first = run(test, captured["images"], functions)
                again = run(test, captured["images"], functions)
            except RuntimeError as error:
                print(f"sm_{captured['sm']}/{name}: {error}, left out", flush=True)
                functions = {}
                begin()
                continue
            if not all(np.array_equal(a, b) for a, b in zip(first, again)):
                print(f"sm_{captured['sm']}/{name}: not the same twice, left out", flush=True)
                continue
            for index, (result, before) in enumerate(zip(first, test["buffers"])):
                key = f"{name}/{index}"
                if captured["sm"] == 90 and result.tobytes() != before:
                    answers[key] = result
                elif captured["sm"] != 90 and not np.array_equal(result, answers.get(key, np.frombuffer(before, np.uint8))):
                    answers[f"sm_{captured['sm']}/{key}"] = result
        # What is known so far, should a later kernel not end.
        np.savez_compressed(sys.argv[1], **answers)
    print(f"{len(answers)} tensors recorded")


if __name__ == "__main__":
    main()
