"""`ptxvm.Tensor`: exact bounds, views, and reading; alone, without a client."""

import numpy as np
import pytest

import ptxvm
from kernels import COUNT, SAXPY


def test_what_a_tensor_is_made_of():
    x = ptxvm.Tensor([[1, 2], [3, 4]], dtype="float32")
    assert x.shape == (2, 2) and x.dtype == np.float32 and x.strides == (8, 4) and x.stride() == (2, 1) and x.stride(0) == 2
    assert x.ndim == 2 and x.size == 4 and x.nbytes == 16 and x.itemsize == 4 and len(x) == 2 and x.is_contiguous()
    assert x.tolist() == [[1, 2], [3, 4]] and x[1, 0].item() == 3 and "Tensor" in repr(x)
    assert ptxvm.Tensor.zeros(3, "int32").tolist() == [0, 0, 0]
    assert ptxvm.Tensor.full((2, 1), 7, "uint8").tolist() == [[7], [7]]
    assert ptxvm.Tensor.empty((0, 4)).tolist() == [] and ptxvm.Tensor(5).shape == ()
    assert ptxvm.Tensor(ptxvm.Tensor([1.5])).tolist() == [1.5]
    assert x.data_ptr() % 256 == 0 and np.asarray(x).dtype == np.float32 and np.asarray(x, "int64").tolist() == [[1, 2], [3, 4]]
    with pytest.raises(TypeError, match="Python's objects"):
        ptxvm.Tensor([object()])


def test_a_copy_is_read_and_a_view_is_written():
    x = ptxvm.Tensor(np.arange(6, dtype=np.int32))
    copy = x.numpy()
    x[1:3] = [10, 20]
    assert x.tolist() == [0, 10, 20, 3, 4, 5] and copy.tolist() == [0, 1, 2, 3, 4, 5]
    view = x[::2]
    view[...] = ptxvm.Tensor([7, 8, 9], "int32")
    assert x.tolist() == [7, 10, 8, 3, 9, 5] and not view.is_contiguous() and view.strides == (8,)
    x.reshape(2, 3)[1] = 0
    assert x.tolist() == [7, 10, 8, 0, 0, 0]
    x[2][...] = 1
    assert x.tolist() == [7, 10, 1, 0, 0, 0]
    with pytest.raises(IndexError, match="would make a copy"):
        x[[0, 1]]
    with pytest.raises(IndexError):
        x[6]


def test_kernels_use_a_tensor_and_exactly_its_bytes():
    kernel = ptxvm.load(COUNT)["count"]
    out = ptxvm.Tensor.zeros(64, "uint32")
    kernel[2, 32](out)
    assert out.tolist() == list(range(64))
    kernel[1, 8](out[8:16])
    assert out.tolist()[:17] == [*range(8), *range(8), 16]
    for small in (out[:63], out[1:]):
        with pytest.raises(ptxvm.Finding) as raised:
            kernel[2, 32](small)
        assert raised.value.kind == "out-of-bounds" and "252 bytes" in str(raised.value)
    x, y = ptxvm.Tensor([2.0], "float32"), ptxvm.Tensor([1.0], "float32")
    ptxvm.load(SAXPY)["saxpy"][1, 1](1, 3.0, x, y)
    assert y.item() == 7


def test_other_libraries_take_a_tensor():
    x = ptxvm.Tensor(np.arange(4, dtype=np.float32))
    assert np.from_dlpack(x).tolist() == [0, 1, 2, 3] and x.__dlpack_device__() == (1, 0)
    about = x[1:].__cuda_array_interface__
    assert about["shape"] == (3,) and about["typestr"] == "<f4" and about["data"] == (x.data_ptr() + 4, False)
    assert about["strides"] is None and x.reshape(2, 2)[:, 1].__cuda_array_interface__["strides"] == (8,)


def test_what_needs_the_driver_says_so():
    with pytest.raises(ptxvm.Error, match="ptxvm exec"):
        ptxvm.Event()
    assert ptxvm.driver.loaded() is None
