// Streams and events: order, overlap, queries, priorities, attributes, capture, memory that is allocated in a stream.
#include "check.h"

__global__ void add(int* data, int value) { data[threadIdx.x] += value; }
__global__ void copy(const int* from, int* to) { to[threadIdx.x] = from[threadIdx.x]; }

int main() {
    const int n = 256;
    int *data, *other, host[n];
    OK(cudaMalloc(&data, sizeof host));
    OK(cudaMalloc(&other, sizeof host));
    OK(cudaMemset(data, 0, sizeof host));
    cudaStream_t first, second;
    OK(cudaStreamCreateWithFlags(&first, cudaStreamNonBlocking));
    int least, greatest, priority;
    OK(cudaDeviceGetStreamPriorityRange(&least, &greatest));
    OK(cudaStreamCreateWithPriority(&second, cudaStreamDefault, greatest));
    OK(cudaStreamGetPriority(second, &priority));
    unsigned flags;
    OK(cudaStreamGetFlags(first, &flags));
    std::printf("priorities %d to %d, the second's %d, the first's flags %u\n", least, greatest, priority, flags);

    cudaEvent_t event, end;
    OK(cudaEventCreate(&event));
    OK(cudaEventCreateWithFlags(&end, cudaEventBlockingSync));
    for (int i = 0; i < 10; i++) add<<<1, n, 0, first>>>(data, i);
    OK(cudaEventRecord(event, first));
    OK(cudaStreamWaitEvent(second, event, 0));
    copy<<<1, n, 0, second>>>(data, other);
    OK(cudaEventRecord(end, second));
    OK(cudaEventSynchronize(end));
    float time = -1;
    OK(cudaEventElapsedTime(&time, event, end));
    OK(cudaMemcpy(host, other, sizeof host, cudaMemcpyDeviceToHost));
    std::printf("ordered: %d, time %s, queries %s %s\n", host[n - 1], time >= 0 ? "passed" : "did not pass",
                cudaGetErrorName(cudaEventQuery(end)), cudaGetErrorName(cudaStreamQuery(second)));

    int* pooled;
    OK(cudaMallocAsync(&pooled, sizeof host, first));
    OK(cudaMemsetAsync(pooled, 0, sizeof host, first));
    add<<<1, n, 0, first>>>(pooled, 3);
    OK(cudaMemcpyAsync(host, pooled, sizeof host, cudaMemcpyDeviceToHost, first));
    OK(cudaFreeAsync(pooled, first));
    OK(cudaStreamSynchronize(first));
    std::printf("pooled: %d\n", host[0]);
    cudaMemPool_t pool;
    OK(cudaDeviceGetDefaultMemPool(&pool, 0));
    unsigned long long threshold = 1 << 20, kept = 0, used = 7;
    OK(cudaMemPoolSetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &threshold));
    OK(cudaMemPoolGetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &kept));
    OK(cudaMemPoolGetAttribute(pool, cudaMemPoolAttrUsedMemCurrent, &used));
    std::printf("pool: threshold %llu, used %llu\n", kept, used);

    cudaGraph_t graph;
    cudaGraphExec_t exec;
    cudaStreamCaptureStatus status;
    OK(cudaStreamBeginCapture(first, cudaStreamCaptureModeGlobal));
    OK(cudaMemsetAsync(data, 0, sizeof host, first));
    add<<<1, n, 0, first>>>(data, 5);
    OK(cudaStreamIsCapturing(first, &status));
    OK(cudaMemcpyAsync(other, data, sizeof host, cudaMemcpyDeviceToDevice, first));
    OK(cudaStreamEndCapture(first, &graph));
    size_t nodes = 0;
    OK(cudaGraphGetNodes(graph, nullptr, &nodes));
    OK(cudaGraphInstantiate(&exec, graph, 0));
    for (int i = 0; i < 3; i++) OK(cudaGraphLaunch(exec, second));
    OK(cudaStreamSynchronize(second));
    OK(cudaMemcpy(host, other, sizeof host, cudaMemcpyDeviceToHost));
    std::printf("captured: status %d, %zu nodes, %d\n", status, nodes, host[9]);
    OK(cudaGraphExecDestroy(exec));
    OK(cudaGraphDestroy(graph));

    OK(cudaMemset(data, 0, sizeof host));
    add<<<1, n, 0, cudaStreamPerThread>>>(data, 1);
    OK(cudaStreamSynchronize(cudaStreamPerThread));
    add<<<1, n, 0, cudaStreamLegacy>>>(data, 1);
    OK(cudaDeviceSynchronize());
    OK(cudaMemcpy(host, data, sizeof host, cudaMemcpyDeviceToHost));
    std::printf("named streams: %d\n", host[0]);
    cudaStreamAttrValue value = {};
    value.accessPolicyWindow.base_ptr = data;
    value.accessPolicyWindow.num_bytes = 512;
    value.accessPolicyWindow.hitRatio = 0.5f;
    value.accessPolicyWindow.hitProp = cudaAccessPropertyPersisting;
    OK(cudaStreamSetAttribute(first, cudaStreamAttributeAccessPolicyWindow, &value));
    std::memset(&value, 0, sizeof value);
    OK(cudaStreamGetAttribute(first, cudaStreamAttributeAccessPolicyWindow, &value));
    std::printf("window: %zu bytes, ratio %g\n", value.accessPolicyWindow.num_bytes, value.accessPolicyWindow.hitRatio);
    OK(cudaEventDestroy(event));
    OK(cudaEventDestroy(end));
    OK(cudaStreamDestroy(first));
    OK(cudaStreamDestroy(second));
}
