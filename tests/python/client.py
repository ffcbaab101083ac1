"""A client of libcuda in a few lines, which ignores errors unless it is asked not to: what the plugin's tests launch."""

import ctypes

from kernels import COUNT, RACE


class Client:
    def __init__(self):
        self.cuda = ctypes.CDLL("libcuda.so.1")
        self.cuda.cuInit(0)
        context = ctypes.c_void_p()
        self.cuda.cuDevicePrimaryCtxRetain(ctypes.byref(context), 0)
        self.cuda.cuCtxSetCurrent(context)
        self.functions = {name: self.load(name, text) for name, text in (("count", COUNT), ("race", RACE))}

    def load(self, name, text):
        module, function = ctypes.c_void_p(), ctypes.c_void_p()
        assert self.cuda.cuModuleLoadData(ctypes.byref(module), text.encode()) == 0
        assert self.cuda.cuModuleGetFunction(ctypes.byref(function), module, name.encode()) == 0
        return function

    def name(self):
        text = ctypes.create_string_buffer(100)
        self.cuda.cuDeviceGetName(text, 100, 0)
        return text.value

    def run(self, name, grid, block, words):
        """Launches a kernel on so many words, and gives the driver's answer and the words."""
        memory = ctypes.c_uint64()
        self.cuda.cuMemAlloc_v2(ctypes.byref(memory), ctypes.c_size_t(4 * words))
        parameters = (ctypes.c_void_p * 1)(ctypes.cast(ctypes.pointer(memory), ctypes.c_void_p))
        self.cuda.cuLaunchKernel(self.functions[name], grid, 1, 1, block, 1, 1, 0, None, parameters, None)
        out = (ctypes.c_uint32 * words)()
        answer = self.cuda.cuMemcpyDtoH_v2(out, memory, ctypes.c_size_t(4 * words))
        self.cuda.cuMemFree_v2(memory)
        return answer, list(out)

    def launch(self, threads, words):
        self.run("count", 1, threads, words)

    def count(self, threads, words):
        answer, out = self.run("count", 1, threads, words)
        assert answer == 0, f"CUresult {answer}"
        return out

    def race(self):
        self.run("race", 2, 1, 1)
