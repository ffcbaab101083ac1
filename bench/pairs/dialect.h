// One dialect for CUDA C++ and OpenCL C.
#ifdef __OPENCL_VERSION__
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#define KERNEL __kernel void
#define G __global
#define S __local
#define FN static
#define TX ((int)get_local_id(0))
#define TY ((int)get_local_id(1))
#define BX ((int)get_group_id(0))
#define BY ((int)get_group_id(1))
#define DX ((int)get_local_size(0))
#define NX ((int)get_num_groups(0))
#define BAR barrier(CLK_LOCAL_MEM_FENCE)
#define AADD(p, v) atomic_add(p, v)
#define POPC popcount
#define EXP exp
#define LOG log
#define SQRT sqrt
#define SIN sin
#define COS cos
#define MULHI(a, b) mul_hi(a, b)
#define FMIN fmin
#define FMAX fmax
#else
#define KERNEL extern "C" __global__ void
#define G
#define S __shared__
#define FN __device__ static

typedef unsigned int uint;
typedef unsigned char uchar;
typedef unsigned long long ulong;
#define TX ((int)threadIdx.x)
#define TY ((int)threadIdx.y)
#define BX ((int)blockIdx.x)
#define BY ((int)blockIdx.y)
#define DX ((int)blockDim.x)
#define NX ((int)gridDim.x)
#define BAR __syncthreads()
#define AADD(p, v) atomicAdd(p, v)
#define POPC __popc
#define EXP expf
#define LOG logf
#define SQRT sqrtf
#define SIN sinf
#define COS cosf
#define MULHI(a, b) __umul64hi(a, b)
#define FMIN fminf
#define FMAX fmaxf
#define min(a, b) ((a) < (b) ? (a) : (b))
#define max(a, b) ((a) > (b) ? (a) : (b))
#endif
