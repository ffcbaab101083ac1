"""Products by two CTAs together (tcgen05 with cta_group::2), which Triton's own language never asks for: written in Gluon.

Each CTA of a pair brings half of both operands and has half of the result; one of them issues for both.
"""

import pytest
from triton.experimental import gluon
from triton.experimental.gluon import language as gl
from triton.experimental.gluon.language.nvidia.blackwell import (TensorMemoryLayout, allocate_tensor_memory, mbarrier, tcgen05_mma,
                                                                tma)
from triton.experimental.gluon.nvidia.hopper import TensorDescriptor

from matrices import LOST, matrix, near, product

pytestmark = pytest.mark.tensor_cores


@gluon.jit
def pair_kernel(a_desc, b_desc, out_ptr, K, M: gl.constexpr, N: gl.constexpr, BK: gl.constexpr, ACC: gl.constexpr,
                OUT: gl.constexpr):
    a = gl.allocate_shared_memory(a_desc.dtype, a_desc.block_shape, a_desc.layout)
    b = gl.allocate_shared_memory(b_desc.dtype, b_desc.block_shape, b_desc.layout)
    acc = allocate_tensor_memory(gl.float32, [M, N], ACC)
    loaded, done = mbarrier.allocate_mbarrier(two_ctas=True), mbarrier.allocate_mbarrier()
    mbarrier.init(loaded, count=1)
    mbarrier.init(done, count=1)
    phase = 0
    for k in range(0, K, BK):
        mbarrier.expect(loaded, a_desc.nbytes_per_cta + b_desc.nbytes_per_cta)
        tma.async_load(a_desc, [0, k], loaded, a)
        tma.async_load(b_desc, [k, 0], loaded, b)
        mbarrier.wait(loaded, phase=phase, deps=[a, b])
        tcgen05_mma(a, b, acc, use_acc=k > 0, multicast=True, mbarriers=[done])
        mbarrier.wait(done, phase=phase, deps=[a, b])
        phase ^= 1
    mbarrier.invalidate(loaded)
    mbarrier.invalidate(done)
    m = gl.arange(0, M, gl.SliceLayout(1, OUT))
    n = gl.arange(0, N, gl.SliceLayout(0, OUT))
    gl.store(out_ptr + m[:, None] * N + n[None, :], gl.convert_layout(acc.load(), OUT))


@pytest.mark.needs(100)
@pytest.mark.parametrize("dtype", ["float16", "bfloat16", "float8_e4m3fn"])
def test_two_ctas(gpu, dtype):
    m, n, k, bk = 256, 128, 256, 128
    a, b = matrix(dtype, m, k, "a"), matrix(dtype, k, n, "b")
    kind = {"float16": gl.float16, "bfloat16": gl.bfloat16, "float8_e4m3fn": gl.float8e4nv}[dtype]
    rows, columns = [[1, 0]], [[0, 1]]
    out = gpu.empty((m, n), "float32")

    def described(tensor, block, halves):
        layout = gl.NVMMASharedLayout.get_default_for(block, kind, cga_layout=halves)
        return TensorDescriptor(tensor, list(tensor.shape), [tensor.stride(0), 1], block, layout)

    kernel = pair_kernel[(1,)](
        described(gpu.tensor(a), [m, bk], rows), described(gpu.tensor(b), [bk, n], columns), out, k, M=m, N=n, BK=bk,
        ACC=TensorMemoryLayout(block=(128, n), col_stride=1, two_ctas=True, cga_layout=rows),
        OUT=gl.BlockedLayout([1, 4], [1, 32], [4, 1], [1, 0], cga_layout=rows), num_ctas=2)
    near(gpu, out, *product(a, b), LOST["f16"])
    assert "tcgen05.mma.cta_group::2" in kernel.asm["ptx"] and "multicast::cluster" in kernel.asm["ptx"]
