"""Asks a CUDA runtime how it answers right and wrong calls: error codes, the last error, properties, attributes, limits, what
is known of pointers, streams, events, arrays, textures and graphs.

    answers.py record FILE      writes the answers, a line for each: ["section", "what was asked", [answers]]
    answers.py compare FILE DIFFERENT
                                compares with a recording; DIFFERENT lists the questions whose answers differ on purpose

An H200's are in `answers.jsonl`, recorded with libcudart 13.0. A crash is an answer ("crash"): each section is asked in a
process of its own, which is started again without the question that ended it, and an error where NVIDIA's library crashes is
no difference. Handles and addresses are not recorded, only whether there is one.
"""
import ctypes as C
import json
import os
import re
import signal
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

Z, U, I, Q, V, F = C.c_size_t, C.c_uint, C.c_int, C.c_uint64, C.c_void_p, C.c_float
PTX = b""".version 8.0
.target sm_90
.address_size 64
.global .align 4 .b8 table[64];
.visible .entry empty() { ret; }
.visible .entry store(.param .u64 p) { .reg .b64 %a; .reg .b32 %t; ld.param.u64 %a,[p]; mov.u32 %t,%tid.x; st.global.u32 [%a],%t; ret; }
.visible .entry shared() { .shared .align 4 .b8 s[40000]; .reg .b32 %t; mov.u32 %t,%tid.x; st.volatile.shared.u32 [s],%t; ret; }
.visible .entry bounded() .maxntid 256,1,1 { ret; }
.visible .entry clustered() .reqnctapercluster 2,1,1 { ret; }
.visible .entry many(.param .u64 a, .param .u32 b, .param .align 8 .b8 c[24], .param .u16 d) { ret; }
"""


def open_runtime():
    last = None
    for name in ["libcudart.so.13", os.environ.get("CUDART", ""), "/usr/local/cuda/lib64/libcudart.so.13"]:
        try:
            if name:
                return C.CDLL(name)
        except OSError as error:
            last = error
    raise last


R = None


class Dim3(C.Structure):
    _fields_ = [("x", U), ("y", U), ("z", U)]


class Extent(C.Structure):
    _fields_ = [("width", Z), ("height", Z), ("depth", Z)]


class Location(C.Structure):
    _fields_ = [("type", I), ("id", I)]


class Format(C.Structure):
    _fields_ = [("x", I), ("y", I), ("z", I), ("w", I), ("f", I)]


class Pointer(C.Structure):
    _fields_ = [("type", I), ("device", I), ("devicePointer", V), ("hostPointer", V), ("reserved", C.c_long * 8)]


class Pitched(C.Structure):
    _fields_ = [("ptr", V), ("pitch", Z), ("xsize", Z), ("ysize", Z)]


class Memset(C.Structure):
    _fields_ = [("dst", V), ("pitch", Z), ("value", U), ("element", U), ("width", Z), ("height", Z)]


class Attributes(C.Structure):
    _fields_ = [
        ("shared", Z), ("constant", Z), ("local", Z), ("threads", I), ("registers", I), ("ptx", I), ("binary", I),
        ("cache", I), ("dynamic", I), ("carveout", I), ("clusterSet", I), ("width", I), ("height", I), ("depth", I),
        ("policy", I), ("nonportable", I), ("reserved", I * 16),
    ]


class PoolProps(C.Structure):
    _fields_ = [("type", I), ("handles", I), ("location", Location), ("security", V), ("max", Z), ("usage", C.c_ushort), ("rest", C.c_ubyte * 54)]


class Texture(C.Structure):
    _fields_ = [
        ("address", I * 3), ("filter", I), ("read", I), ("srgb", I), ("border", F * 4), ("normalized", I), ("anisotropy", U),
        ("mipFilter", I), ("bias", F), ("min", F), ("max", F), ("noOptimisation", I), ("seamless", I),
    ]


class Resource(C.Structure):
    _fields_ = [("type", I), ("a", V), ("format", Format), ("b", Z), ("c", Z), ("d", Z), ("reserved", I * 16)]


class Config(C.Structure):
    _fields_ = [("grid", Dim3), ("block", Dim3), ("shared", Z), ("stream", V), ("attributes", V), ("count", U)]


def argument(value):
    """A value as C has it: whole numbers are passed as eight bytes, which serves for all narrower ones."""
    if isinstance(value, int):
        return Q(value & (2**64 - 1))
    if isinstance(value, bytes):
        return C.c_char_p(value)
    return value


# Questions that have ended a process of this section before.
CRASHED = []


def say(what, answers):
    """Tells the process that collects: it must have the answers if a later question is the end of this one."""
    os.write(1, (json.dumps([what, answers]) + "\n").encode())


def call(name, *arguments):
    return getattr(R, name)(*[argument(one) for one in arguments])


def ask(name, with_, *arguments, says=()):
    """Makes a call and records what it answers, with the last error if it is one, and what it says."""
    what = f"{name}: {with_}"
    if what in CRASHED:
        return None
    say(what, None)
    error = call(name, *arguments)
    answer = [error]
    if error != 0:
        answer.append(R.cudaGetLastError())
    else:
        answer += [one() if callable(one) else getattr(one, "value", one) for one in says]
    say(what, answer)
    return error


def note(what, *answers):
    say(what, list(answers))


def made(name, *arguments, of=V):
    """A handle or address that a call makes."""
    place = of()
    error = call(name, C.byref(place), *arguments)
    assert error == 0, (name, error)
    return place


def kernels():
    library = V()
    assert call("cudaLibraryLoadData", C.byref(library), C.c_char_p(PTX), 0, 0, 0, 0, 0, 0) == 0
    return library, lambda name: made("cudaLibraryGetKernel", library, name.encode())


def launch(kernel, *values, grid=(1, 1, 1), block=(1, 1, 1), shared=0, stream=0):
    places = (V * max(1, len(values)))(*[C.addressof(one) for one in values])
    return R.cudaLaunchKernel(kernel, Dim3(*grid), Dim3(*block), places, Z(shared), V(stream or 0))


# The words of the properties that say how much memory there is, and an array of 32 GiB, which not every host has.
MEMORY_WORDS = (72, 73)
LARGE_ARRAY = "cudaMallocArray: 131072 by 65536, flags 0"


def left_out(what):
    """Whether a question was recorded that is not asked any more, since its answer depends on the machine or on luck."""
    words = {f"properties: word {index}" for index in MEMORY_WORDS}
    return what in words or what in BY_LUCK or what == LARGE_ARRAY or what.split(" with ")[0] in LEFT_OUT


# ------------------------------------------------------------------------------------------------------------- the sections
def properties():
    """Every word of the structure but those of the board (UUID, place on the bus, clocks' and memory's sizes)."""
    place = (C.c_uint32 * 512)()
    ask("cudaGetDeviceProperties", "device 0", place, 0)
    assert bytes(place).split(b"\0")[0] != b""
    for index in range(68, 252):
        if index in MEMORY_WORDS:
            continue
        note(f"properties: word {index}", place[index])
    ask("cudaGetDeviceProperties", "null", 0, 0)
    ask("cudaGetDeviceProperties", "device 1", place, 1)
    ask("cudaGetDeviceProperties", "device -1", place, -1)
    number = I()
    for what, name in (("count", "cudaGetDeviceCount"), ("device", "cudaGetDevice"), ("runtime", "cudaRuntimeGetVersion")):
        ask(name, what, C.byref(number), says=() if what == "runtime" else (number,))
        ask(name, "null", 0)
    for mask in (0, 1, 0xFFFFFFFF):
        flags = U(mask)
        ask("cudaGetDeviceFlags", "flags", C.byref(flags), says=(flags,))
    chosen = I()
    ask("cudaChooseDevice", "any", C.byref(chosen), place, says=(chosen,))
    ask("cudaChooseDevice", "null properties", C.byref(chosen), 0)
    for flags in (0, 1, 2, 3, 4, 5, 7, 8, 0x10, 0x18, 0x80, 0x100, 0x1000):
        ask("cudaSetDeviceFlags", hex(flags), flags)
    for length in (-1, 0, 1, 5, 12, 13, 64):
        ask("cudaDeviceGetPCIBusId", f"room {length}", C.create_string_buffer(64), length, 0)
    for text in (b"", b"x", b"ffff:ff:1f.0", b"0:0"):
        ask("cudaDeviceGetByPCIBusId", repr(text), C.byref(number), text)
    for list_, count in (((0,), 1), ((0, 0), 2), ((1,), 1), ((), 0), ((-1,), 1)):
        ask("cudaSetValidDevices", str(list_), (I * max(1, len(list_)))(*list_), count)
    for flags in (0, 1, 2):
        ask("cudaInitDevice", f"flags {flags}", 0, flags, 0)
        ask("cudaInitDevice", f"device 1, flags {flags}", 1, flags, 0)


def device_attributes():
    value = I()
    skipped = {33, 34, 50, 139, 140}
    for number in range(-1, 160):
        if number not in skipped:
            ask("cudaDeviceGetAttribute", str(number), C.byref(value), number, 0, says=(value,))
    ask("cudaDeviceGetAttribute", "device 1", C.byref(value), 1, 1)
    for number in range(0, 8):
        ask("cudaDeviceGetP2PAttribute", f"{number} of 0 and 0", C.byref(value), number, 0, 0)
        ask("cudaDeviceGetP2PAttribute", f"{number} of 0 and 1", C.byref(value), number, 0, 1)


def limits():
    size = Z()
    for number in range(-1, 9):
        ask("cudaDeviceGetLimit", str(number), C.byref(size), number, says=(size,))
    for number, value in ((0, 0), (0, 1 << 16), (0, 1 << 30), (1, 0), (1, 1 << 10), (1, 1 << 22), (2, 0), (2, 1 << 24), (3, 4), (4, 100), (5, 0), (5, 32), (5, 129), (6, 0), (6, 1 << 20), (6, 1 << 40), (77, 1)):
        ask("cudaDeviceSetLimit", f"{number} to {value}", number, value)
        ask("cudaDeviceGetLimit", f"{number} after {value}", C.byref(size), number, says=(size,))
    configuration = I()
    ask("cudaDeviceGetCacheConfig", "", C.byref(configuration), says=(configuration,))
    for number in (-1, 0, 1, 2, 3, 4):
        ask("cudaDeviceSetCacheConfig", str(number), number)
        ask("cudaDeviceGetCacheConfig", f"after {number}", C.byref(configuration), says=(configuration,))
    low, high = I(), I()
    ask("cudaDeviceGetStreamPriorityRange", "", C.byref(low), C.byref(high), says=(low, high))
    ask("cudaDeviceGetStreamPriorityRange", "both null", 0, 0)


def each_pointer():
    """Addresses of every kind, with what they are."""
    device = made("cudaMalloc", 4096)
    host = made("cudaMallocHost", 4096)
    mapped = made("cudaHostAlloc", 4096, 2)
    managed = made("cudaMallocManaged", 4096, 1)
    alone = made("cudaMallocManaged", 4096, 2)
    of_pool = made("cudaMallocAsync", 4096, 0)
    R.cudaDeviceSynchronize()
    plain = C.create_string_buffer(1 << 16)
    registered = C.create_string_buffer(1 << 16)
    assert call("cudaHostRegister", registered, 1 << 16, 0) == 0
    freed = made("cudaMalloc", 1 << 22)
    call("cudaFree", freed)
    address = lambda one: one.value if isinstance(one, V) else C.addressof(one)
    kept = (device, host, mapped, managed, alone, of_pool, plain, registered)
    return kept, {
        "null": 0, "device": address(device), "inside device": address(device) + 100, "end of device": address(device) + 4096,
        "host": address(host), "inside host": address(host) + 100, "mapped": address(mapped), "managed": address(managed),
        "inside managed": address(managed) + 100, "managed by one": address(alone), "pool": address(of_pool),
        "plain": address(plain), "registered": address(registered), "inside registered": address(registered) + 5000,
        "freed": address(freed), "16": 16, "all ones": 2**64 - 8,
    }


def pointers():
    kept, all_ = each_pointer()
    for what, address in all_.items():
        p = Pointer()
        says = (lambda: p.type, lambda: p.device, lambda: (p.devicePointer or 0) == address, lambda: (p.hostPointer or 0) == address,
                lambda: p.devicePointer is None, lambda: p.hostPointer is None)
        ask("cudaPointerGetAttributes", what, C.byref(p), address, says=says)
        flags, place = U(), V()
        ask("cudaHostGetFlags", what, C.byref(flags), address, says=(flags,))
        ask("cudaHostGetDevicePointer", what, C.byref(place), address, 0, says=(lambda: (place.value or 0) == address,))
        value = (C.c_int * 4)()
        for number in (1, 2, 3, 4):
            ask("cudaMemRangeGetAttribute", f"{number} of {what}", value, 4, number, address, 64, says=(lambda: value[0],))
        for advice in (1, 2, 3, 4, 5, 6, 9):
            ask("cudaMemAdvise", f"{advice} of {what}", address, 64, advice, Location(1, 0))
        ask("cudaMemPrefetchAsync", what, address, 64, Location(1, 0), 0, 0)
        ask("cudaMemPrefetchAsync", f"{what} to the host", address, 64, Location(2, 0), 0, 0)
        ask("cudaMemset", what, address, 1, 16)
        ask("cudaMemsetAsync", what, address, 1, 16, 0)
    ask("cudaPointerGetAttributes", "no place", 0, all_["device"])
    for what, address in all_.items():
        if what in ("inside device", "inside host", "inside registered", "freed", "16", "plain", "null", "end of device"):
            ask("cudaFree", what, address)
            ask("cudaFreeHost", what, address)
            ask("cudaHostUnregister", what, address)
            ask("cudaFreeAsync", what, address, 0)
    ask("cudaHostRegister", "registered again", all_["registered"], 100, 0)
    ask("cudaHostRegister", "pinned", all_["host"], 100, 0)
    ask("cudaHostRegister", "no bytes", all_["plain"], 0, 0)
    ask("cudaHostRegister", "flags 0x40", all_["plain"], 100, 0x40)
    ask("cudaFree", "device", all_["device"])
    ask("cudaFree", "device again", all_["device"])
    ask("cudaFreeHost", "host", all_["host"])
    ask("cudaFreeHost", "host again", all_["host"])
    ask("cudaFree", "managed", all_["managed"])
    ask("cudaFree", "of a pool", all_["pool"])


def copies():
    """Every direction between every kind of memory."""
    kept, all_ = each_pointer()
    ends = [name for name in all_ if name not in ("all ones", "inside host", "inside managed", "managed by one", "freed", "16")]
    for to in ends:
        for from_ in ends:
            for kind in (0, 1, 2, 3, 4):
                # The default direction between two plain addresses is a copy of the host's, whatever they are.
                if {to, from_} <= {"null", "plain"}:
                    continue
                if "null" in (to, from_) and "plain" in (to, from_) or ("null" in (to, from_) and kind == 0):
                    continue
                ask("cudaMemcpy", f"{from_} to {to}, kind {kind}", all_[to], all_[from_], 64, kind)
    for size in (0, 4096, 4097, 1 << 40):
        ask("cudaMemcpy", f"{size} bytes of 4096, device to device", all_["device"], all_["device"], size, 3)
        ask("cudaMemset", f"{size} bytes of 4096", all_["device"], 0, size)
    for kind in (-1, 5, 17):
        ask("cudaMemcpy", f"kind {kind}", all_["device"], all_["plain"], 16, kind)
        ask("cudaMemcpyAsync", f"kind {kind}", all_["device"], all_["plain"], 16, kind, 0)
        ask("cudaMemcpy2D", f"kind {kind}", all_["device"], 64, all_["plain"], 64, 16, 2, kind)
    for dpitch, spitch, width, height in ((64, 64, 65, 2), (65, 64, 65, 2), (64, 64, 0, 2), (64, 64, 16, 0), (0, 64, 16, 2), (64, 0, 16, 2), (1 << 33, 64, 16, 2), (64, 64, 16, 100), (16, 16, 16, 2)):
        with_ = f"pitches {dpitch} and {spitch}, {width} by {height}"
        ask("cudaMemcpy2D", with_, all_["device"], dpitch, all_["plain"], spitch, width, height, 1)
        ask("cudaMemset2D", with_, all_["device"], dpitch, 1, width, height)
    for device in (0, 1, -1):
        ask("cudaMemcpyPeer", f"to device {device}", all_["device"], device, all_["pool"], 0, 64)
        ask("cudaMemcpyPeerAsync", f"from device {device}", all_["device"], 0, all_["pool"], device, 64, 0)
    for p in (Pitched(all_["device"], 64, 32, 4), Pitched(all_["device"], 16, 32, 4), Pitched(None, 64, 32, 4), Pitched(all_["plain"], 64, 32, 4)):
        for e in ((32, 4, 1), (33, 4, 1), (65, 4, 1), (0, 4, 1), (32, 0, 1), (32, 4, 0), (32, 5, 1), (32, 4, 2)):
            ask("cudaMemset3D", f"pitch {p.pitch}, {'null' if not p.ptr else ''} extent {e}", p, 1, Extent(*e))


def allocations():
    place, pitch = V(), Z()
    for size in (0, 1, 1 << 48, 2**64 - 1):
        ask("cudaMalloc", str(size), C.byref(place), size, says=(lambda: place.value is None,))
        ask("cudaMallocHost", str(size), C.byref(place), size if size < 1 << 48 else 2**64 - 1, says=(lambda: place.value is None,))
        ask("cudaMallocAsync", str(size), C.byref(place), size, 0, says=(lambda: place.value is None,))
    for flags in (0, 1, 2, 3, 4, 5, 8):
        ask("cudaMallocManaged", f"flags {flags}", C.byref(place), 100, flags)
        ask("cudaMallocManaged", f"no bytes, flags {flags}", C.byref(place), 0, flags)
    for flags in (0, 1, 2, 4, 7, 8, 0x10):
        ask("cudaHostAlloc", f"flags {flags}", C.byref(place), 100, flags)
        ask("cudaHostAlloc", f"no bytes, flags {flags}", C.byref(place), 0, flags, says=(lambda: place.value is None,))
    for width, height in ((0, 0), (0, 1), (1, 0), (1, 1), (511, 3), (512, 3), (513, 3), (1 << 40, 1 << 40), (1 << 62, 8)):
        ask("cudaMallocPitch", f"{width} by {height}", C.byref(place), C.byref(pitch), width, height, says=(pitch,))
        p = Pitched()
        ask("cudaMalloc3D", f"{width} by {height} by 1", C.byref(p), Extent(width, height, 1), says=(lambda: p.pitch, lambda: p.xsize, lambda: p.ysize))
    ask("cudaMalloc3D", "no depth", C.byref(Pitched()), Extent(1, 1, 0))
    ask("cudaMallocPitch", "null pitch", C.byref(place), 0, 10, 10)
    ask("cudaMallocPitch", "null", 0, C.byref(pitch), 10, 10)
    ask("cudaMalloc3D", "null", 0, Extent(1, 1, 1))
    free, total = Z(), Z()
    ask("cudaMemGetInfo", "both", C.byref(free), C.byref(total), says=(lambda: free.value <= total.value,))
    ask("cudaMemGetInfo", "null free", 0, C.byref(total))
    ask("cudaMemGetInfo", "null total", C.byref(free), 0)
    ask("cudaMemGetInfo", "both null", 0, 0)


def pools():
    pool = V()
    for device in (0, 1, -1):
        ask("cudaDeviceGetDefaultMemPool", f"device {device}", C.byref(pool), device)
        ask("cudaDeviceGetMemPool", f"device {device}", C.byref(pool), device)
        ask("cudaDeviceSetMemPool", f"device {device}, null", device, 0)
    for type_, handles, where, device, size in ((1, 0, 1, 0, 0), (1, 1, 1, 0, 0), (0, 0, 1, 0, 0), (2, 0, 1, 0, 0), (1, 0, 0, 0, 0), (1, 0, 2, 0, 0), (1, 0, 3, 0, 0), (1, 0, 1, 1, 0), (1, 0, 1, -1, 0), (1, 7, 1, 0, 0), (1, 0, 1, 0, 1), (1, 0, 1, 0, 1 << 25)):
        props = PoolProps(type_, handles, Location(where, device), None, size)
        ask("cudaMemPoolCreate", f"type {type_}, handles {handles}, location {where}:{device}, at most {size}", C.byref(pool), C.byref(props))
    ask("cudaMemPoolCreate", "null properties", C.byref(pool), 0)
    ask("cudaMemPoolCreate", "null", 0, C.byref(PoolProps(1, 0, Location(1, 0))))
    pool = made("cudaMemPoolCreate", C.byref(PoolProps(1, 0, Location(1, 0))))
    value = Q()
    for number in range(0, 12):
        ask("cudaMemPoolGetAttribute", str(number), pool, number, C.byref(value), says=(value,) if number < 9 else ())
    for number in range(0, 10):
        for new in (0, 1, 5):
            ask("cudaMemPoolSetAttribute", f"{number} to {new}", pool, number, C.byref(Q(new)))
    place = made("cudaMallocFromPoolAsync", 1000, pool, 0)
    R.cudaDeviceSynchronize()
    for number in (5, 6, 7, 8):
        ask("cudaMemPoolGetAttribute", f"{number} with 1000 bytes in use", pool, number, C.byref(value), says=(value,))
    flags = I()
    for where, device in ((1, 0), (1, 1), (2, 0), (0, 0)):
        ask("cudaMemPoolGetAccess", f"{where}:{device}", C.byref(flags), pool, C.byref(Location(where, device)), says=(flags,))
    ask("cudaMemPoolTrimTo", "0", pool, 0)
    ask("cudaFreeAsync", "of the pool", place, 0)
    ask("cudaMemPoolDestroy", "own", pool)
    ask("cudaMemPoolDestroy", "null", 0)
    ask("cudaMallocFromPoolAsync", "null pool", C.byref(place), 100, 0, 0)
    for number in range(0, 5):
        ask("cudaDeviceGetGraphMemAttribute", str(number), 0, number, C.byref(value), says=(value,))
        ask("cudaDeviceSetGraphMemAttribute", f"{number} to 0", 0, number, C.byref(Q(0)))
        ask("cudaDeviceSetGraphMemAttribute", f"{number} to 5", 0, number, C.byref(Q(5)))
    ask("cudaDeviceGraphMemTrim", "device 0", 0)
    ask("cudaDeviceGraphMemTrim", "device 1", 1)


def streams():
    stream, value, long_ = V(), I(), Q()
    for flags in (0, 1, 2, 3):
        ask("cudaStreamCreateWithFlags", f"flags {flags}", C.byref(stream), flags)
        for priority in (-100, -5, -1, 0, 1):
            error = ask("cudaStreamCreateWithPriority", f"flags {flags}, priority {priority}", C.byref(stream), flags, priority)
            if error == 0:
                ask("cudaStreamGetPriority", f"of {priority}", stream, C.byref(value), says=(value,))
                ask("cudaStreamGetFlags", f"of {flags}", stream, C.byref(value), says=(value,))
    own = made("cudaStreamCreate")
    for what, handle in (("null", 0), ("legacy", 1), ("per thread", 2), ("own", own)):
        ask("cudaStreamGetPriority", what, handle, C.byref(value), says=(value,))
        ask("cudaStreamGetFlags", what, handle, C.byref(value), says=(value,))
        ask("cudaStreamGetDevice", what, handle, C.byref(value), says=(value,))
        ask("cudaStreamQuery", what, handle)
        ask("cudaStreamSynchronize", what, handle)
        ask("cudaStreamIsCapturing", what, handle, C.byref(value), says=(value,))
        ask("cudaStreamGetPriority", f"{what}, no place", handle, 0)
        ask("cudaStreamGetFlags", f"{what}, no place", handle, 0)
        ask("cudaStreamGetId", f"{what}, no place", handle, 0)
        ask("cudaStreamIsCapturing", f"{what}, no place", handle, 0)
        ask("cudaStreamWaitEvent", f"{what}, null event", handle, 0, 0)
        ask("cudaStreamAddCallback", f"{what}, null function", handle, 0, 0, 0)
        ask("cudaLaunchHostFunc", f"{what}, null function", handle, 0, 0)
        ask("cudaStreamAttachMemAsync", f"{what}, null", handle, 0, 0, 4)
        ask("cudaStreamEndCapture", f"{what}, not begun", handle, C.byref(stream))
        for mode in (-1, 3):
            ask("cudaStreamBeginCapture", f"{what}, mode {mode}", handle, mode)
        ask("cudaStreamCopyAttributes", f"{what} from null", handle, 0)
        buffer = (C.c_ubyte * 64)()
        for number in range(0, 12):
            ask("cudaStreamGetAttribute", f"{number} of {what}", handle, number, buffer, says=(lambda: buffer[0],))
    ask("cudaStreamDestroy", "null", 0)
    ask("cudaStreamDestroy", "legacy", 1)
    ask("cudaStreamDestroy", "per thread", 2)
    mode = I(1)
    ask("cudaThreadExchangeStreamCaptureMode", "1", C.byref(mode), says=(mode,))
    mode = I(7)
    ask("cudaThreadExchangeStreamCaptureMode", "7", C.byref(mode))
    ask("cudaThreadExchangeStreamCaptureMode", "null", 0)
    # While a stream captures.
    for mode in (0, 1, 2):
        own = made("cudaStreamCreateWithFlags", 1)
        ask("cudaStreamBeginCapture", f"mode {mode}", own, mode)
        ask("cudaStreamIsCapturing", f"mode {mode}", own, C.byref(value), says=(value,))
        ask("cudaStreamBeginCapture", f"again, mode {mode}", own, mode)
        ask("cudaStreamQuery", f"capturing, mode {mode}", own)
        ask("cudaStreamSynchronize", f"capturing, mode {mode}", own)
        ask("cudaStreamIsCapturing", f"after that, mode {mode}", own, C.byref(value), says=(value,))
        ask("cudaMalloc", f"capturing, mode {mode}", C.byref(stream), 100)
        ask("cudaDeviceSynchronize", f"capturing, mode {mode}")
        ask("cudaMemcpy", f"capturing, mode {mode}", 0, 0, 0, 3)
        graph = V()
        ask("cudaStreamEndCapture", f"mode {mode}", own, C.byref(graph), says=(lambda: graph.value is None,))
        ask("cudaStreamDestroy", f"mode {mode}", own)


def events():
    event, other, time, value = V(), V(), F(), I()
    for flags in range(0, 9):
        ask("cudaEventCreateWithFlags", f"flags {flags}", C.byref(event), flags)
    plain = made("cudaEventCreate")
    untimed = made("cudaEventCreateWithFlags", 2)
    ask("cudaEventQuery", "never recorded", plain)
    ask("cudaEventSynchronize", "never recorded", plain)
    ask("cudaEventElapsedTime", "never recorded", C.byref(time), plain, plain)
    ask("cudaStreamWaitEvent", "never recorded", 0, plain, 0)
    ask("cudaEventRecord", "plain", plain, 0)
    ask("cudaEventRecord", "untimed", untimed, 0)
    R.cudaDeviceSynchronize()
    ask("cudaEventQuery", "recorded", plain)
    ask("cudaEventElapsedTime", "with itself", C.byref(time), plain, plain, says=(time,))
    ask("cudaEventElapsedTime", "with an untimed one", C.byref(time), plain, untimed)
    ask("cudaEventElapsedTime", "no place", 0, plain, plain)
    ask("cudaEventElapsedTime", "null", C.byref(time), 0, plain)
    for flags in (0, 1, 2):
        ask("cudaEventRecordWithFlags", f"flags {flags}", plain, 0, flags)
        ask("cudaStreamWaitEvent", f"flags {flags}", 0, plain, flags)
    handle = (C.c_ubyte * 64)()
    ask("cudaIpcGetEventHandle", "plain", handle, plain)
    for name in ("cudaEventQuery", "cudaEventSynchronize", "cudaEventDestroy"):
        ask(name, "null", 0)
    ask("cudaEventRecord", "null", 0, 0)
    ask("cudaEventDestroy", "plain", plain)


def arrays():
    array = V()
    kinds = [(8, 0), (8, 1), (16, 0), (16, 1), (32, 0), (32, 1), (16, 2), (32, 2), (64, 1), (8, 2), (24, 0), (0, 0), (32, 3), (8, 9)]
    for bits, kind in kinds:
        for channels in (1, 2, 3, 4):
            words = [bits] * channels + [0] * (4 - channels)
            ask("cudaMallocArray", f"{channels} of {bits} bits, kind {kind}", C.byref(array), C.byref(Format(*words, kind)), 16, 4, 0)
    one = Format(32, 0, 0, 0, 2)
    for width, height, flags in ((0, 0, 0), (0, 1, 0), (1, 0, 0), (131072, 0, 0), (131073, 0, 0), (131073, 1, 0), (1, 65537, 0), (16, 16, 1), (16, 16, 2), (16, 16, 4), (16, 16, 8), (16, 16, 0x40), (16, 16, 0x80), (32769, 0, 2)):
        ask("cudaMallocArray", f"{width} by {height}, flags {flags}", C.byref(array), C.byref(one), width, height, flags)
    for w, h, d, flags in ((4, 4, 4, 0), (4, 0, 4, 0), (4, 0, 4, 1), (4, 4, 4, 1), (4, 4, 6, 4), (4, 5, 6, 4), (4, 4, 12, 5), (4, 4, 13, 5), (16384, 16384, 1, 0), (16385, 1, 1, 0), (4, 4, 2049, 1), (4, 4, 4, 8), (4, 4, 4, 2)):
        ask("cudaMalloc3DArray", f"{w} by {h} by {d}, flags {flags}", C.byref(array), C.byref(one), Extent(w, h, d), flags)
        for levels in (0, 1, 3, 4, 99):
            if flags in (0, 1, 4):
                ask("cudaMallocMipmappedArray", f"{w} by {h} by {d}, flags {flags}, {levels} levels", C.byref(array), C.byref(one), Extent(w, h, d), levels, flags)
    array = made("cudaMallocArray", C.byref(one), 16, 4, 2)
    form, extent, flags = Format(), Extent(), U()
    words = lambda: [form.x, form.y, form.z, form.w, form.f, extent.width, extent.height, extent.depth, flags.value]
    ask("cudaArrayGetInfo", "16 by 4", C.byref(form), C.byref(extent), C.byref(flags), array, says=(words,))
    ask("cudaArrayGetInfo", "nothing asked", 0, 0, 0, array)
    ask("cudaArrayGetInfo", "null", C.byref(form), C.byref(extent), C.byref(flags), 0)
    ask("cudaGetChannelDesc", "16 by 4", C.byref(form), array, says=(lambda: [form.x, form.y, form.z, form.w, form.f],))
    ask("cudaGetChannelDesc", "null", C.byref(form), 0)
    plain = C.create_string_buffer(4096)
    for x, y, size in ((0, 0, 256), (0, 0, 257), (4, 0, 252), (64, 0, 4), (0, 4, 4), (0, 0, 0), (2, 0, 4), (60, 0, 8)):
        ask("cudaMemcpyToArray", f"{size} bytes at {x},{y}", array, x, y, plain, size, 1)
        ask("cudaMemcpyFromArray", f"{size} bytes at {x},{y}", plain, array, x, y, size, 2)
    for x, y, pitch, width, height in ((0, 0, 64, 64, 4), (0, 0, 64, 65, 4), (0, 0, 32, 64, 4), (0, 1, 64, 64, 4), (4, 0, 64, 64, 1), (0, 0, 64, 0, 4), (0, 0, 64, 64, 0), (2, 0, 64, 2, 1)):
        ask("cudaMemcpy2DToArray", f"{width} by {height} at {x},{y}, pitch {pitch}", array, x, y, plain, pitch, width, height, 1)
        ask("cudaMemcpy2DFromArray", f"{width} by {height} at {x},{y}, pitch {pitch}", plain, pitch, array, x, y, width, height, 2)
    ask("cudaFreeArray", "16 by 4", array)
    for name in ("cudaFreeArray", "cudaFreeMipmappedArray"):
        ask(name, "null", 0)


def textures():
    array = made("cudaMallocArray", C.byref(Format(32, 0, 0, 0, 2)), 16, 4, 0)
    surface = made("cudaMallocArray", C.byref(Format(8, 8, 8, 8, 1)), 16, 4, 2)
    memory = made("cudaMalloc", 1 << 16)
    object_ = Q()
    float_, bytes_ = Format(32, 0, 0, 0, 2), Format(8, 8, 8, 8, 1)
    resources = {
        "array": Resource(0, array), "surface array": Resource(0, surface), "null array": Resource(0, None),
        "linear": Resource(2, memory, float_, 1024), "linear bytes": Resource(2, memory, bytes_, 1024),
        "no linear bytes": Resource(2, memory, float_, 0), "linear off": Resource(2, memory.value + 4, float_, 1024),
        "plane": Resource(3, memory, float_, 16, 4, 512), "plane pitch 100": Resource(3, memory, float_, 16, 4, 100),
        "plane too wide": Resource(3, memory, float_, 129, 4, 512), "empty plane": Resource(3, memory, float_, 0, 4, 512),
        "type 9": Resource(9, memory),
    }
    plain = dict(address=(0, 0, 0), filter=0, read=0, normalized=0, mipFilter=0)
    samplers = {
        "plain": {}, "linear filter": {"filter": 1}, "normalized floats": {"read": 1}, "normalized coordinates": {"normalized": 1},
        "wrap": {"address": (0, 0, 0), "normalized": 1}, "mirror": {"address": (2, 2, 2), "normalized": 1},
        "border": {"address": (3, 3, 3)}, "address 4": {"address": (4, 0, 0)}, "filter 2": {"filter": 2}, "read 2": {"read": 2},
        "filtered floats": {"filter": 1, "read": 1}, "anisotropy 16": {"anisotropy": 16, "normalized": 1}, "anisotropy 17": {"anisotropy": 17},
        "srgb": {"srgb": 1, "read": 1}, "mip filter 2": {"mipFilter": 2}, "seamless": {"seamless": 1},
    }
    for of, resource in resources.items():
        for how, changes in samplers.items():
            values = {**plain, **changes}
            texture = Texture(**{key: ((I * 3)(*value) if key == "address" else value) for key, value in values.items()})
            ask("cudaCreateTextureObject", f"{of}, {how}", C.byref(object_), C.byref(resource), C.byref(texture), 0)
        ask("cudaCreateSurfaceObject", of, C.byref(object_), C.byref(resource))
    ask("cudaCreateTextureObject", "null texture", C.byref(object_), C.byref(resources["array"]), 0, 0)
    ask("cudaCreateTextureObject", "null resource", C.byref(object_), 0, C.byref(Texture()), 0)
    ask("cudaCreateTextureObject", "null", 0, C.byref(resources["array"]), C.byref(Texture()), 0)
    texture = made("cudaCreateTextureObject", C.byref(resources["array"]), C.byref(Texture()), 0, of=Q)
    got, back = Texture(), Resource()
    ask("cudaGetTextureObjectTextureDesc", "own", C.byref(got), texture, says=(lambda: [list(got.address), got.filter, got.read],))
    ask("cudaGetTextureObjectResourceDesc", "own", C.byref(back), texture, says=(lambda: back.type,))
    ask("cudaDestroyTextureObject", "own", texture)
    ask("cudaDestroyTextureObject", "0", 0)
    ask("cudaDestroySurfaceObject", "0", 0)


def launches():
    library, kernel = kernels()
    names = ("empty", "store", "shared", "bounded", "clustered", "many")
    all_ = {name: kernel(name) for name in names}
    got = Attributes()
    for name, one in all_.items():
        fields = lambda: [got.shared, got.constant, got.local, got.threads, got.ptx, got.binary, got.cache, got.dynamic, got.carveout, got.clusterSet, got.width, got.policy, got.nonportable]
        ask("cudaFuncGetAttributes", name, C.byref(got), one, says=(fields,))
        for number in range(0, 16):
            for value in (-1, 0, 1, 100, 49152, 300000):
                ask("cudaFuncSetAttribute", f"{number} of {name} to {value}", one, number, value)
        blocks = I()
        for threads, shared in ((0, 0), (1, 0), (32, 0), (1024, 0), (1025, 0), (128, 1 << 15), (128, 1 << 20)):
            ask("cudaOccupancyMaxActiveBlocksPerMultiprocessor", f"{name}, {threads} threads, {shared} bytes", C.byref(blocks), one, threads, shared, says=(blocks,))
    all_ = {name: kernel(name) for name in names}
    for name, one in all_.items():
        if name == "store":
            continue
        for grid in ((1, 1, 1), (0, 1, 1), (1, 65536, 1), (1, 1, 65536), (2**31, 1, 1), (3, 1, 1)):
            note(f"launch: {name}, grid {grid}", launch(one, grid=grid), R.cudaGetLastError())
        for block in ((1024, 1, 1), (1025, 1, 1), (0, 1, 1), (1, 1, 65), (1, 1025, 1), (32, 32, 2), (257, 1, 1)):
            note(f"launch: {name}, block {block}", launch(one, block=block), R.cudaGetLastError())
        for shared in (1, 48 << 10, (48 << 10) + 1, 227 << 10, 1 << 20):
            note(f"launch: {name}, {shared} bytes", launch(one, shared=shared), R.cudaGetLastError())
        note(f"cooperative: {name}", R.cudaLaunchCooperativeKernel(one, Dim3(1 << 20, 1, 1), Dim3(32, 1, 1), (V * 1)(), Z(0), V(0)), R.cudaGetLastError())
        note(f"synchronize after {name}", R.cudaDeviceSynchronize(), R.cudaGetLastError())
        config = Config(Dim3(1, 1, 1), Dim3(1, 1, 1), 0, None, None, 0)
        ask("cudaLaunchKernelExC", f"{name}", C.byref(config), one, 0)
        size = I()
        ask("cudaOccupancyMaxPotentialClusterSize", name, C.byref(size), one, C.byref(config), says=(size,))
    ask("cudaLaunchKernelExC", "null", 0, all_["empty"], 0)
    place, size = V(), Z()
    for name in (b"table", b"empty", b"nothing", b""):
        ask("cudaLibraryGetGlobal", name.decode(), C.byref(place), C.byref(size), library, name, says=(size,))
        ask("cudaLibraryGetKernel", name.decode(), C.byref(place), library, name)
        ask("cudaLibraryGetManaged", name.decode(), C.byref(place), C.byref(size), library, name)
        ask("cudaLibraryGetUnifiedFunction", name.decode(), C.byref(place), library, name)
    count = U()
    ask("cudaLibraryGetKernelCount", "own", C.byref(count), library, says=(count,))
    bad = V()
    for what, text in (("no text", b""), ("words", b"hello"), ("bad PTX", b".version 8.0\n.target sm_90\n.address_size 64\n.visible .entry k() { nonsense; }"), ("newer target", b".version 8.0\n.target sm_999\n")):
        if ask("cudaLibraryLoadData", what, C.byref(bad), C.c_char_p(text), 0, 0, 0, 0, 0, 0) == 0:
            ask("cudaLibraryGetKernel", f"of {what}", C.byref(place), bad, b"k")
    ask("cudaLibraryLoadFromFile", "no such file", C.byref(bad), b"/nowhere", 0, 0, 0, 0, 0, 0)
    ask("cudaLibraryUnload", "own", library)
    for what, number in (("null", 0), ("this program's code", C.cast(R.cudaFree, V).value)):
        note(f"launch: {what}", launch(V(number)), R.cudaGetLastError())
        ask("cudaFuncGetAttributes", what, C.byref(got), number)
        ask("cudaGetSymbolAddress", what, C.byref(place), number)
        ask("cudaGetSymbolSize", what, C.byref(size), number)


def faults():
    """What every call answers after a kernel's fault, which stays."""
    library, kernel = kernels()
    store, place, value, size = kernel("store"), V(), I(), Z()
    stream, event = made("cudaStreamCreate"), made("cudaEventCreate")
    memory = made("cudaMalloc", 64)
    note("launch to address 16", launch(store, Q(16)), R.cudaGetLastError())
    note("synchronize", R.cudaDeviceSynchronize(), R.cudaPeekAtLastError(), R.cudaGetLastError(), R.cudaGetLastError(), R.cudaPeekAtLastError())
    ask("cudaMalloc", "after a fault", C.byref(place), 64)
    ask("cudaFree", "after a fault", memory)
    ask("cudaMemcpy", "after a fault", memory, memory, 16, 3)
    ask("cudaMemset", "after a fault", memory, 0, 16)
    ask("cudaMallocHost", "after a fault", C.byref(place), 64)
    ask("cudaStreamCreate", "after a fault", C.byref(place))
    ask("cudaStreamQuery", "after a fault", stream)
    ask("cudaStreamSynchronize", "after a fault", stream)
    ask("cudaStreamDestroy", "after a fault", stream)
    ask("cudaEventCreate", "after a fault", C.byref(place))
    ask("cudaEventRecord", "after a fault", event, 0)
    ask("cudaEventQuery", "after a fault", event)
    ask("cudaEventSynchronize", "after a fault", event)
    ask("cudaEventDestroy", "after a fault", event)
    ask("cudaGetDevice", "after a fault", C.byref(value), says=(value,))
    ask("cudaGetDeviceCount", "after a fault", C.byref(value), says=(value,))
    ask("cudaSetDevice", "after a fault", 0)
    ask("cudaDeviceGetAttribute", "after a fault", C.byref(value), 10, 0, says=(value,))
    ask("cudaDeviceGetLimit", "after a fault", C.byref(size), 0)
    ask("cudaDriverGetVersion", "after a fault", C.byref(value))
    ask("cudaMemGetInfo", "after a fault", C.byref(size), C.byref(size))
    ask("cudaGraphCreate", "after a fault", C.byref(place), 0)
    ask("cudaPointerGetAttributes", "after a fault", C.byref(Pointer()), memory)
    ask("cudaLibraryGetKernel", "after a fault", C.byref(place), library, b"empty")
    ask("cudaFuncGetAttributes", "after a fault", C.byref(Attributes()), store)
    note("launch after a fault", launch(store, memory), R.cudaGetLastError())
    ask("cudaDeviceSynchronize", "after a fault")


def graphs():
    graph, node, count, kind = V(), V(), Z(), I()
    ask("cudaGraphCreate", "flags 1", C.byref(graph), 1)
    ask("cudaGraphCreate", "null", 0, 0)
    graph = made("cudaGraphCreate", 0)
    other = made("cudaGraphCreate", 0)
    a, b, c = (made("cudaGraphAddEmptyNode", graph, 0, 0) for _ in range(3))
    foreign = made("cudaGraphAddEmptyNode", other, 0, 0)
    pair = lambda *nodes: (V * max(1, len(nodes)))(*[one.value for one in nodes])
    for what, from_, to, n in (("a to b", [a], [b], 1), ("a to b again", [a], [b], 1), ("b to a", [b], [a], 1), ("a to itself", [a], [a], 1), ("to another graph", [a], [foreign], 1), ("none", [], [], 0), ("b to c", [b], [c], 1), ("c to a", [c], [a], 1), ("null", [V(0)], [b], 1)):
        ask("cudaGraphAddDependencies", what, graph, pair(*from_), pair(*to), 0, n)
    ask("cudaGraphAddDependencies", "null lists", graph, 0, 0, 0, 1)
    for what, from_, to in (("b to a", b, a), ("a to c", a, c), ("b to c", b, c)):
        ask("cudaGraphRemoveDependencies", what, graph, pair(from_), pair(to), 0, 1)
    ask("cudaGraphAddEmptyNode", "after a foreign one", C.byref(node), graph, pair(foreign), 1)
    ask("cudaGraphAddEmptyNode", "after one twice", C.byref(node), graph, pair(a, a), 2)
    ask("cudaGraphAddEmptyNode", "no place", 0, graph, 0, 0)
    ask("cudaGraphAddEmptyNode", "no graph", C.byref(node), 0, 0, 0)
    for what, g in (("own", graph), ("other", other), ("null", 0)):
        ask("cudaGraphGetNodes", what, g, 0, C.byref(count), says=(count,))
        ask("cudaGraphGetRootNodes", what, g, 0, C.byref(count), says=(count,))
        ask("cudaGraphGetEdges", what, g, 0, 0, 0, C.byref(count), says=(count,))
    for room in (0, 1, 2, 3, 7):
        nodes, count = (V * 8)(), Z(room)
        ask("cudaGraphGetNodes", f"room for {room}", graph, nodes, C.byref(count), says=(count, lambda: [one is not None for one in nodes]))
    memory = made("cudaMalloc", 4096)
    for what, params in (("plain", Memset(memory, 0, 1, 1, 64, 1)), ("words", Memset(memory, 64, 1, 4, 16, 4)), ("element 3", Memset(memory, 0, 1, 3, 16, 1)), ("null", Memset(None, 0, 1, 1, 16, 1)), ("no width", Memset(memory, 0, 1, 1, 0, 1)), ("no height", Memset(memory, 0, 1, 1, 16, 0)), ("short pitch", Memset(memory, 8, 1, 1, 16, 2)), ("off", Memset(memory.value + 1, 0, 1, 4, 16, 1))):
        ask("cudaGraphAddMemsetNode", what, C.byref(node), graph, 0, 0, C.byref(params))
    set_ = made("cudaGraphAddMemsetNode", graph, 0, 0, C.byref(Memset(memory, 0, 1, 1, 64, 1)))
    host = C.create_string_buffer(64)
    for what, to, from_, kind_ in (("host to device", memory, host, 1), ("wrong way", memory, host, 2), ("default", memory, host, 4), ("kind 9", memory, host, 9), ("null", 0, host, 1)):
        ask("cudaGraphAddMemcpyNode1D", what, C.byref(node), graph, 0, 0, to, from_, 64, kind_)
    ask("cudaGraphAddHostNode", "no function", C.byref(node), graph, 0, 0, C.byref((V * 2)()))
    event = made("cudaEventCreate")
    record = made("cudaGraphAddEventRecordNode", graph, 0, 0, event)
    wait = made("cudaGraphAddEventWaitNode", graph, 0, 0, event)
    ask("cudaGraphAddEventRecordNode", "null event", C.byref(node), graph, 0, 0, 0)
    child = made("cudaGraphAddChildGraphNode", graph, 0, 0, other)
    ask("cudaGraphAddChildGraphNode", "null graph", C.byref(node), graph, 0, 0, 0)
    ask("cudaGraphAddChildGraphNode", "itself", C.byref(node), graph, 0, 0, graph)
    every = {"empty": a, "memset": set_, "record": record, "wait": wait, "child": child, "null": V(0)}
    for what, one in every.items():
        ask("cudaGraphNodeGetType", what, one, C.byref(kind), says=(kind,))
        ask("cudaGraphNodeGetDependencies", what, one, 0, 0, C.byref(count), says=(count,))
        ask("cudaGraphNodeGetDependentNodes", what, one, 0, 0, C.byref(count), says=(count,))
        ask("cudaGraphMemsetNodeGetParams", what, one, C.byref(Memset()))
        ask("cudaGraphEventRecordNodeGetEvent", what, one, C.byref(node))
        ask("cudaGraphEventWaitNodeGetEvent", what, one, C.byref(node))
        ask("cudaGraphChildGraphNodeGetGraph", what, one, C.byref(node))
        ask("cudaGraphHostNodeGetParams", what, one, C.byref((V * 2)()))
        ask("cudaGraphKernelNodeGetParams", what, one, C.byref((V * 16)()))
        ask("cudaGraphMemcpyNodeGetParams", what, one, C.byref((V * 32)()))
    exec_ = V()
    for flags in (0, 1, 2, 4, 8, 16, 32):
        ask("cudaGraphInstantiate", f"flags {flags}", C.byref(exec_), graph, flags)
    ask("cudaGraphInstantiate", "null graph", C.byref(exec_), 0, 0)
    ask("cudaGraphInstantiate", "null", 0, graph, 0)
    exec_ = made("cudaGraphInstantiate", graph, 0)
    flags, enabled = Q(), U()
    ask("cudaGraphExecGetFlags", "own", exec_, C.byref(flags), says=(flags,))
    for what, one in every.items():
        ask("cudaGraphNodeGetEnabled", what, exec_, one, C.byref(enabled), says=(enabled,))
        ask("cudaGraphNodeSetEnabled", what, exec_, one, 0)
    ask("cudaGraphExecMemsetNodeSetParams", "own", exec_, set_, C.byref(Memset(memory, 0, 2, 1, 32, 1)))
    ask("cudaGraphExecMemsetNodeSetParams", "two rows", exec_, set_, C.byref(Memset(memory, 64, 2, 1, 32, 2)))
    ask("cudaGraphExecMemsetNodeSetParams", "of another node", exec_, a, C.byref(Memset(memory, 0, 2, 1, 32, 1)))
    ask("cudaGraphLaunch", "own", exec_, 0)
    ask("cudaGraphUpload", "own", exec_, 0)
    ask("cudaDeviceSynchronize", "after it")
    result = (C.c_uint64 * 4)()
    ask("cudaGraphExecUpdate", "same", exec_, graph, result, says=(lambda: result[0] & 0xFFFFFFFF,))
    ask("cudaGraphExecUpdate", "other", exec_, other, result)
    note("cudaGraphExecUpdate: what other says", result[0] & 0xFFFFFFFF)
    clone = made("cudaGraphClone", graph)
    ask("cudaGraphNodeFindInClone", "own", C.byref(node), a, clone)
    ask("cudaGraphNodeFindInClone", "foreign", C.byref(node), foreign, clone)
    ask("cudaGraphNodeFindInClone", "in itself", C.byref(node), a, graph)
    ask("cudaGraphDestroyNode", "c", c)
    ask("cudaGraphDestroyNode", "null", 0)
    ask("cudaGraphExecDestroy", "own", exec_)
    ask("cudaGraphDestroy", "clone", clone)
    for name in ("cudaGraphDestroy", "cudaGraphExecDestroy"):
        ask(name, "null", 0)
    ask("cudaGraphLaunch", "null", 0, 0)
    ask("cudaGraphUpload", "null", 0, 0)
    ask("cudaGraphClone", "null", C.byref(node), 0)
    ask("cudaGraphDebugDotPrint", "nowhere", graph, b"/nowhere/graph.dot", 0)
    ask("cudaGraphDebugDotPrint", "null", graph, 0, 0)
    condition = Q()
    for flags in (0, 1, 2):
        ask("cudaGraphConditionalHandleCreate", f"flags {flags}", C.byref(condition), graph, 1, flags)
    object_ = V()
    free_ = C.CFUNCTYPE(None, V)(lambda _: None)
    for references, flags in ((1, 1), (0, 1), (1, 0), (1, 2), (2**31, 1)):
        ask("cudaUserObjectCreate", f"{references} references, flags {flags}", C.byref(object_), 0, free_, references, flags)
    object_ = made("cudaUserObjectCreate", 0, free_, 3, 1)
    for references, flags in ((1, 0), (1, 1), (0, 0), (1, 2)):
        ask("cudaGraphRetainUserObject", f"{references} references, flags {flags}", graph, object_, references, flags)
    ask("cudaGraphReleaseUserObject", "more than there are", graph, object_, 100)


def others():
    for code in [*range(0, 120), *range(120, 1000, 1), 999, 1000, 12345, -1]:
        R.cudaGetErrorName.restype = R.cudaGetErrorString.restype = C.c_char_p
        note(f"name and words of {code}", R.cudaGetErrorName(I(code)).decode(), R.cudaGetErrorString(I(code)).decode())
    place, status = V(), I()
    for name, version, flags in ((b"cuMemAlloc", 13000, 0), (b"cuMemAlloc", 2000, 0), (b"cuMemAlloc", 99999, 0), (b"cuNothing", 13000, 0), (b"", 13000, 0), (b"cuMemAlloc", 13000, 1), (b"cuMemAlloc", 13000, 2), (b"cuMemAlloc", 13000, 3), (b"cuMemAlloc", 0, 0)):
        status.value = 77
        ask("cudaGetDriverEntryPointByVersion", f"{name.decode()} in {version}, flags {flags}", C.byref(place), name, version, flags, C.byref(status), says=(status, lambda: place.value is None))
    ask("cudaGetDriverEntryPointByVersion", "no place", 0, b"cuMemAlloc", 13000, 0, C.byref(status))
    number = I()
    for name in ("cudaDeviceCanAccessPeer",):
        for a, b in ((0, 0), (0, 1), (1, 0), (-1, 0)):
            ask(name, f"{a} and {b}", C.byref(number), a, b, says=(number,))
    for device in (0, 1, -1):
        ask("cudaDeviceEnablePeerAccess", str(device), device, 0)
        ask("cudaDeviceDisablePeerAccess", str(device), device)
        ask("cudaSetDevice", str(device), device)
    ask("cudaProfilerStart", "")
    ask("cudaProfilerStop", "")
    ask("cudaCtxResetPersistingL2Cache", "")
    for scope in (0, 100, 200, 300):
        for target in (0, 1):
            ask("cudaDeviceFlushGPUDirectRDMAWrites", f"{target}, {scope}", target, scope)
    R.cudaMalloc(0, Z(10))
    note("last error: remembered, looked at, taken, none", R.cudaPeekAtLastError(), R.cudaPeekAtLastError(), R.cudaGetLastError(), R.cudaGetLastError())
    R.cudaMalloc(0, Z(10))
    R.cudaSetDevice(I(99))
    R.cudaDeviceSynchronize()
    note("last error: the later of two, after a success", R.cudaGetLastError(), R.cudaGetLastError())


SECTIONS = [properties, device_attributes, limits, pointers, copies, allocations, pools, streams, events, arrays, textures, launches, faults, graphs, others]

# Calls with nothing, one place, or nonsense for every argument, each in a process of its own, of the functions that both
# libraries have. Those that end the process or wait on purpose, those whose answer is no error code, and those that nvcc's
# code calls, are left out.
LEFT_OUT = {"cudaGetLastError", "cudaPeekAtLastError", "cudaGetErrorName", "cudaGetErrorString", "cudaCreateChannelDesc", "cudaDeviceReset", "cudaGetDriverEntryPoint_ptsz"}
HOWS = ("zeros", "a place", "ones")
# A thread of the library's calls a function at address 1: whether the process ends before is luck.
BY_LUCK = {f"{name} with ones" for name in ("cudaLaunchHostFunc", "cudaLaunchHostFunc_ptsz", "cudaStreamAddCallback", "cudaStreamAddCallback_ptsz")}
# The longest that a question or a section may take, in seconds.
LIMIT = 300


def bare(name, how):
    place = (C.c_uint64 * 512)()
    call("cudaFree", 0)
    first = {"zeros": 0, "a place": C.addressof(place), "ones": 1}[how]
    rest = 1 if how == "ones" else 0
    error = call(name, first, *[rest] * 9)
    note(f"{name} with {how}", error, R.cudaGetLastError())


def bare_each(asked):
    """Makes each call in a copy of this process, which has opened the library and called nothing in it."""
    for name in asked:
        for how in HOWS:
            what = f"{name} with {how}"
            if what in BY_LUCK:
                continue
            told, tell = os.pipe()
            copy = os.fork()
            if copy == 0:
                os.dup2(tell, 1)
                signal.alarm(LIMIT)
                bare(name, how)
                os._exit(0)
            os.close(tell)
            with open(told) as from_copy:
                said = from_copy.read()
            _, status = os.waitpid(copy, 0)
            if status == 0:
                os.write(1, said.encode())
            else:
                late = os.WIFSIGNALED(status) and os.WTERMSIG(status) == signal.SIGALRM
                note(what, "too long" if late else "crash")


def names():
    return [line.strip() for line in open(os.path.join(os.path.dirname(os.path.abspath(__file__)), "answers.names")) if line.strip()]


def child(arguments):
    global R
    R = open_runtime()
    if arguments[0] == "section":
        CRASHED.extend(json.loads(arguments[2]))
        next(one for one in SECTIONS if one.__name__ == arguments[1])()
    else:
        bare_each(json.loads(arguments[1]))
    os._exit(0)


def asked(arguments):
    """What a process answers, and how it ended: None if well."""
    command = [sys.executable, os.path.abspath(__file__), "child", *arguments]
    try:
        ran = subprocess.run(command, capture_output=True, text=True, timeout=LIMIT)
        told, ended = ran.stdout, None if ran.returncode == 0 else "crash"
        if ran.returncode > 0:
            sys.stderr.write(f"{arguments}: {ran.stderr[-1500:]}\n")
    except subprocess.TimeoutExpired as late:
        told, ended = (late.stdout or b"").decode(), "too long"
    # What kernels print stands among the answers.
    return [json.loads(line) for line in told.splitlines() if line.startswith('["')], ended


def run(arguments):
    if arguments[0] == "bare":
        return asked(arguments)[0]
    crashed, known = [], {}
    while True:
        answers, ended = asked([*arguments, json.dumps(crashed)])
        known.update((what, answer) for what, answer in answers if answer is not None)
        if ended is None:
            return list(known.items())
        last = answers[-1][0] if answers else "all"
        known[last] = [ended]
        if not answers or answers[-1][1] is not None:
            # What ended it is no question; what it has not asked is not known.
            sys.stderr.write(f"{arguments}: {ended} after {last}\n")
            return list(known.items())
        crashed.append(last)


# How many functions one process asks.
SHARE = 20


def all_answers(jobs):
    functions = [name for name in names() if name not in LEFT_OUT]
    work = [("bare", json.dumps(functions[at:at + SHARE])) for at in range(0, len(functions), SHARE)]
    work = [("section", one.__name__) for one in SECTIONS] + work
    with ThreadPoolExecutor(jobs) as pool:
        for what, answers in zip(work, pool.map(run, work)):
            section = what[1] if what[0] == "section" else "bare"
            yield from ([section, *one] for one in answers)


def refused(answer):
    """Whether a call gave an error."""
    return isinstance(answer[0], int) and answer[0] != 0


def main():
    if sys.argv[1] == "child":
        return child(sys.argv[2:])
    jobs = int(os.environ.get("JOBS", os.cpu_count() or 2))
    if sys.argv[1] == "record":
        with open(sys.argv[2], "w") as file:
            for one in all_answers(jobs):
                file.write(json.dumps(one) + "\n")
        return 0
    recorded = {(section, what): answer for section, what, answer in map(json.loads, open(sys.argv[2]))}
    lines = open(sys.argv[3]).read().splitlines() if len(sys.argv) > 3 else []
    different = [re.compile(line.split("  # ")[0].strip()) for line in lines if line and not line.startswith("#")]
    used, asked_, wrong, same, allowed, crashes = set(), set(), 0, 0, 0, 0
    for section, what, answer in all_answers(jobs):
        asked_.add((section, what))
        wanted = recorded.get((section, what), "nothing")
        if answer == wanted:
            same += 1
            continue
        if wanted == ["crash"] and refused(answer):
            crashes += 1
            continue
        said = f"{section}: {what}"
        rule = next((index for index, one in enumerate(different) if one.fullmatch(said)), None)
        if rule is not None:
            used.add(rule)
            allowed += 1
            continue
        wrong += 1
        print(f"{said}: {answer} and not {wanted}")
    for section, what in recorded:
        if (section, what) not in asked_ and not left_out(what):
            print(f"{section}: {what}: was recorded and not asked")
            wrong += 1
    for index, one in enumerate(different):
        if index not in used:
            print(f"no answer differs any more that `{one.pattern}` means")
            wrong += 1
    print(f"{same} answers are the same, {crashes} are errors where NVIDIA's library crashes, {allowed} differ on purpose, {wrong} are wrong")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
