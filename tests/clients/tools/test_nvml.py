"""NVIDIA's management library through nvidia-ml-py: what it says agrees with libcuda."""

import ctypes
import os
import subprocess
import sys

import pynvml
import pytest
from cuda.bindings import driver


@pytest.fixture
def device():
    pynvml.nvmlInit()
    yield pynvml.nvmlDeviceGetHandleByIndex(0)
    pynvml.nvmlShutdown()


@pytest.fixture
def context():
    asked(driver.cuInit(0))
    made = asked(driver.cuDevicePrimaryCtxRetain(0))
    asked(driver.cuCtxSetCurrent(made))
    yield made
    asked(driver.cuDevicePrimaryCtxRelease(0))


def asked(answer):
    assert answer[0] == driver.CUresult.CUDA_SUCCESS, answer
    return answer[1] if len(answer) == 2 else answer[1:]


def refused(error, function, *arguments):
    with pytest.raises(pynvml.NVMLError) as raised:
        function(*arguments)
    assert raised.value.value == error


def test_identity_is_that_of_libcuda(device, context):
    assert pynvml.nvmlDeviceGetCount() == asked(driver.cuDeviceGetCount()) == 1
    assert pynvml.nvmlDeviceGetName(device) == asked(driver.cuDeviceGetName(256, 0)).split(b"\0")[0].decode()
    uuid = bytes(asked(driver.cuDeviceGetUuid(0)).bytes).hex()
    assert pynvml.nvmlDeviceGetUUID(device).removeprefix("GPU-").replace("-", "") == uuid
    major = asked(driver.cuDeviceGetAttribute(driver.CUdevice_attribute.CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, 0))
    minor = asked(driver.cuDeviceGetAttribute(driver.CUdevice_attribute.CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR, 0))
    assert pynvml.nvmlDeviceGetCudaComputeCapability(device) == (major, minor)
    place = asked(driver.cuDeviceGetPCIBusId(64, 0)).split(b"\0")[0].decode().lower()
    pci = pynvml.nvmlDeviceGetPciInfo(device)
    assert pci.busId.lower() == "0000" + place and pci.busIdLegacy.lower() == place
    assert pynvml.nvmlSystemGetCudaDriverVersion() == asked(driver.cuDriverGetVersion())


def test_handles_by_every_name(device):
    same = lambda other: ctypes.cast(other, ctypes.c_void_p).value == ctypes.cast(device, ctypes.c_void_p).value
    uuid = pynvml.nvmlDeviceGetUUID(device)
    assert same(pynvml.nvmlDeviceGetHandleByUUID(uuid))
    assert same(pynvml.nvmlDeviceGetHandleByPciBusId(pynvml.nvmlDeviceGetPciInfo(device).busId))
    refused(pynvml.NVML_ERROR_NOT_FOUND, pynvml.nvmlDeviceGetHandleByUUID, "GPU-00000000-0000-0000-0000-000000000000")
    refused(pynvml.NVML_ERROR_NOT_FOUND, pynvml.nvmlDeviceGetHandleByPciBusId, "ffff:ff:1f.0")
    refused(pynvml.NVML_ERROR_INVALID_ARGUMENT, pynvml.nvmlDeviceGetHandleByPciBusId, "nowhere")
    refused(pynvml.NVML_ERROR_INVALID_ARGUMENT, pynvml.nvmlDeviceGetHandleByIndex, 1)


def test_memory_and_process_follow_what_the_program_does(device, context):
    before = pynvml.nvmlDeviceGetMemoryInfo(device)
    memory = asked(driver.cuMemAlloc(64 << 20))
    after = pynvml.nvmlDeviceGetMemoryInfo(device)
    free, total = asked(driver.cuMemGetInfo())
    assert (after.total, after.free) == (total, free) and after.used == total - free
    assert after.used - before.used >= 64 << 20
    second = pynvml.nvmlDeviceGetMemoryInfo(device, version=pynvml.nvmlMemory_v2)
    assert (second.total, second.free, second.used) == (after.total, after.free, after.used)
    (process,) = pynvml.nvmlDeviceGetComputeRunningProcesses(device)
    assert process.pid == os.getpid() and process.usedGpuMemory >= 64 << 20
    assert pynvml.nvmlDeviceGetGraphicsRunningProcesses(device) == []
    asked(driver.cuMemFree(memory))
    assert pynvml.nvmlDeviceGetMemoryInfo(device).used == before.used


def test_what_has_no_honest_answer_is_not_supported(device):
    for function, arguments in (
        (pynvml.nvmlDeviceGetTemperature, (device, 0)),
        (pynvml.nvmlDeviceGetPowerUsage, (device,)),
        (pynvml.nvmlDeviceGetFanSpeed, (device,)),
        (pynvml.nvmlDeviceGetClockInfo, (device, 0)),
        (pynvml.nvmlDeviceGetMigMode, (device,)),
        (pynvml.nvmlDeviceGetNvLinkState, (device, 0)),
    ):
        refused(pynvml.NVML_ERROR_NOT_SUPPORTED, function, *arguments)
    rates = pynvml.nvmlDeviceGetUtilizationRates(device)
    assert 0 <= rates.gpu <= 100
    assert pynvml.nvmlDeviceGetMaxClockInfo(device, pynvml.NVML_CLOCK_SM) > 0


def test_every_function_that_the_package_knows_exists():
    library = ctypes.CDLL("libnvidia-ml.so.1")
    source = open(pynvml.__file__).read()
    names = {line.split('"')[1] for line in source.splitlines() if "_nvmlGetFunctionPointer(\"" in line}
    assert len(names) > 300
    assert [name for name in names if not hasattr(library, name)] == []


def test_nothing_is_answered_before_the_beginning_and_a_process_may_fork_after_it():
    program = """
import ctypes, os, pynvml
assert ctypes.CDLL("libnvidia-ml.so.1").nvmlDeviceGetCount_v2(ctypes.byref(ctypes.c_uint())) == pynvml.NVML_ERROR_UNINITIALIZED
pynvml.nvmlInit()
pynvml.nvmlDeviceGetMemoryInfo(pynvml.nvmlDeviceGetHandleByIndex(0))
child = os.fork()
if child == 0:
    os._exit(ctypes.CDLL("libcuda.so.1").cuInit(0) + pynvml.nvmlDeviceGetCount() - 1)
assert os.waitpid(child, 0)[1] == 0
pynvml.nvmlShutdown()
"""
    subprocess.run([sys.executable, "-c", program], check=True)
