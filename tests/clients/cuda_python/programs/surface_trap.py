"""Reads a surface of 16 by 16 floats at a byte and a row that may not exist, and says what the driver answers."""

import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).parents[1]))
import numpy as np  # noqa: E402
from conftest import compile_cuda  # noqa: E402
from cuda.bindings import driver  # noqa: E402
from cuda.core import Device, LaunchConfig, launch  # noqa: E402
from cuda.core.texture import OpaqueArrayOptions, ResourceDescriptor  # noqa: E402

device = Device()
device.set_current()
stream = device.create_stream()
kernel = compile_cuda("""
extern "C" __global__ void look(cudaSurfaceObject_t s, float *out, int x, int y) { *out = surf2Dread<float>(s, x, y); }
""").get_kernel("look")
array = device.create_opaque_array(OpaqueArrayOptions(shape=(16, 16), format="float32", num_channels=1, is_surface_load_store=True))
surface = device.create_surface_object(resource=ResourceDescriptor.from_opaque_array(array))
out = device.allocate(4, stream=stream)
launch(stream, LaunchConfig(grid=1, block=1), kernel, np.uint64(surface.handle), out, np.int32(sys.argv[1]), np.int32(sys.argv[2]))
print(driver.cuStreamSynchronize(stream.handle)[0].name)
print(driver.cuMemsetD8(int(out.handle), 0, 4)[0].name, flush=True)
