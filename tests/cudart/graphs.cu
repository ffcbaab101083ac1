// Graphs with nodes of all kinds: made by hand, updated, cloned, with conditions, and asked what they are.
#include "check.h"

__device__ int variable;
__global__ void add(int* data, int value) { data[threadIdx.x] += value; }
__global__ void count_down(int* left, cudaGraphConditionalHandle handle) {
    cudaGraphSetConditional(handle, --*left > 0);
}
static void told(void* data) { ++*static_cast<int*>(data); }

int main() {
    const int n = 64;
    int *data, *other, host[n], calls = 0;
    OK(cudaMalloc(&data, sizeof host));
    OK(cudaMalloc(&other, sizeof host));
    cudaGraph_t graph, clone, child;
    cudaGraphNode_t set, kernel, copy, call, empty, symbol;
    OK(cudaGraphCreate(&graph, 0));
    cudaMemsetParams fill = {};
    fill.dst = data;
    fill.value = 0;
    fill.elementSize = 4;
    fill.width = n;
    fill.height = 1;
    OK(cudaGraphAddMemsetNode(&set, graph, nullptr, 0, &fill));
    int value = 4;
    void* arguments[] = {&data, &value};
    cudaKernelNodeParams launch = {};
    launch.func = reinterpret_cast<void*>(add);
    launch.gridDim = 1;
    launch.blockDim = n;
    launch.kernelParams = arguments;
    OK(cudaGraphAddKernelNode(&kernel, graph, &set, 1, &launch));
    OK(cudaGraphAddMemcpyNode1D(&copy, graph, &kernel, 1, host, data, sizeof host, cudaMemcpyDeviceToHost));
    cudaHostNodeParams function = {told, &calls};
    OK(cudaGraphAddHostNode(&call, graph, &copy, 1, &function));
    OK(cudaGraphAddEmptyNode(&empty, graph, &call, 1));
    OK(cudaGraphAddMemcpyNodeToSymbol(&symbol, graph, &empty, 1, variable, host, sizeof(int), 0, cudaMemcpyHostToDevice));
    size_t nodes, edges, roots;
    OK(cudaGraphGetNodes(graph, nullptr, &nodes));
    OK(cudaGraphGetEdges(graph, nullptr, nullptr, nullptr, &edges));
    OK(cudaGraphGetRootNodes(graph, nullptr, &roots));
    cudaGraphNodeType type;
    OK(cudaGraphNodeGetType(kernel, &type));
    std::printf("%zu nodes, %zu edges, %zu roots, type %d\n", nodes, edges, roots, type);
    cudaKernelNodeParams asked = {};
    OK(cudaGraphKernelNodeGetParams(kernel, &asked));
    std::printf("kernel: %s, block %u, argument %d\n", asked.func == launch.func ? "same function" : "other function",
                asked.blockDim.x, *static_cast<int*>(asked.kernelParams[1]));

    cudaGraphExec_t exec;
    OK(cudaGraphInstantiate(&exec, graph, 0));
    OK(cudaGraphLaunch(exec, 0));
    OK(cudaDeviceSynchronize());
    int there = 0;
    OK(cudaMemcpyFromSymbol(&there, variable, sizeof there));
    std::printf("run: %d, calls %d, variable %d\n", host[n - 1], calls, there);
    value = 9;
    OK(cudaGraphExecKernelNodeSetParams(exec, kernel, &launch));
    OK(cudaGraphLaunch(exec, 0));
    OK(cudaDeviceSynchronize());
    std::printf("with other arguments: %d\n", host[0]);
    OK(cudaGraphNodeSetEnabled(exec, kernel, 0));
    OK(cudaGraphLaunch(exec, 0));
    OK(cudaDeviceSynchronize());
    std::printf("without the kernel: %d\n", host[0]);

    OK(cudaGraphClone(&clone, graph));
    cudaGraphNode_t found;
    OK(cudaGraphNodeFindInClone(&found, kernel, clone));
    value = 20;
    OK(cudaGraphKernelNodeSetParams(found, &launch));
    cudaGraphExecUpdateResultInfo info;
    OK(cudaGraphExecUpdate(exec, clone, &info));
    OK(cudaGraphNodeSetEnabled(exec, kernel, 1));
    OK(cudaGraphLaunch(exec, 0));
    OK(cudaDeviceSynchronize());
    std::printf("updated: %d, result %d\n", host[0], info.result);
    OK(cudaGraphExecDestroy(exec));

    OK(cudaGraphCreate(&child, 0));
    cudaGraphNode_t inner, outer;
    OK(cudaGraphAddChildGraphNode(&inner, child, nullptr, 0, graph));
    cudaEvent_t event;
    OK(cudaEventCreate(&event));
    OK(cudaGraphAddEventRecordNode(&outer, child, &inner, 1, event));
    cudaMemAllocNodeParams memory = {};
    memory.poolProps.allocType = cudaMemAllocationTypePinned;
    memory.poolProps.location.type = cudaMemLocationTypeDevice;
    memory.bytesize = 256;
    cudaGraphNode_t allocation, release, clear;
    OK(cudaGraphAddMemAllocNode(&allocation, child, &outer, 1, &memory));
    cudaMemsetParams cleared = {};
    cleared.dst = memory.dptr;
    cleared.elementSize = 1;
    cleared.width = 256;
    cleared.height = 1;
    OK(cudaGraphAddMemsetNode(&clear, child, &allocation, 1, &cleared));
    OK(cudaGraphAddMemFreeNode(&release, child, &clear, 1, memory.dptr));
    OK(cudaGraphInstantiate(&exec, child, 0));
    calls = 0;
    OK(cudaGraphLaunch(exec, 0));
    OK(cudaDeviceSynchronize());
    std::printf("child: calls %d, event %s\n", calls, cudaGetErrorName(cudaEventQuery(event)));
    OK(cudaGraphExecDestroy(exec));
    OK(cudaGraphDestroy(child));
    OK(cudaGraphDestroy(clone));
    OK(cudaGraphDestroy(graph));

    cudaGraph_t loop;
    OK(cudaGraphCreate(&loop, 0));
    cudaGraphConditionalHandle handle;
    OK(cudaGraphConditionalHandleCreate(&handle, loop, 1, cudaGraphCondAssignDefault));
    cudaGraphNodeParams condition = {};
    condition.type = cudaGraphNodeTypeConditional;
    condition.conditional.handle = handle;
    condition.conditional.type = cudaGraphCondTypeWhile;
    condition.conditional.size = 1;
    cudaGraphNode_t repeat, body;
    OK(cudaGraphAddNode(&repeat, loop, nullptr, nullptr, 0, &condition));
    cudaGraphNodeParams step = {};
    step.type = cudaGraphNodeTypeKernel;
    step.kernel.func = reinterpret_cast<void*>(count_down);
    step.kernel.gridDim = 1;
    step.kernel.blockDim = 1;
    void* of_step[] = {&other, &handle};
    step.kernel.kernelParams = of_step;
    OK(cudaGraphAddNode(&body, condition.conditional.phGraph_out[0], nullptr, nullptr, 0, &step));
    void* of_add[] = {&data, &value};
    step.kernel.func = reinterpret_cast<void*>(add);
    step.kernel.blockDim = n;
    step.kernel.kernelParams = of_add;
    value = 1;
    OK(cudaGraphAddNode(&body, condition.conditional.phGraph_out[0], nullptr, nullptr, 0, &step));
    int turns = 6;
    OK(cudaMemcpy(other, &turns, sizeof turns, cudaMemcpyHostToDevice));
    OK(cudaMemset(data, 0, sizeof host));
    OK(cudaGraphInstantiate(&exec, loop, 0));
    OK(cudaGraphLaunch(exec, 0));
    OK(cudaMemcpy(host, data, sizeof host, cudaMemcpyDeviceToHost));
    std::printf("loop: %d turns\n", host[5]);
    OK(cudaGraphExecDestroy(exec));
    OK(cudaGraphDestroy(loop));
}
