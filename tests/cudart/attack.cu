// Hostile and late calls: code that is only for a GPU's machine, thousands of damaged fatbins, sizes that are not true, use
// after a reset, threads that end with errors pending, calls from destructors, after the end and after a fork. The runtime's
// error codes, and no crash.
#include "check.h"
#include <algorithm>
#include <atomic>
#include <fstream>
#include <iterator>
#include <string>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

extern "C" void** __cudaRegisterFatBinary(void*);
extern "C" void __cudaRegisterFatBinaryEnd(void**);
extern "C" void __cudaUnregisterFatBinary(void**);
extern "C" void __cudaRegisterFunction(void**, const char*, char*, const char*, int, uint3*, uint3*, dim3*, dim3*, int*);
extern "C" void __cudaRegisterVar(void**, char*, char*, const char*, int, size_t, int, int);
extern "C" unsigned __cudaPushCallConfiguration(dim3, dim3, size_t, cudaStream_t);
extern "C" cudaError_t __cudaPopCallConfiguration(dim3*, dim3*, size_t*, void*);

struct Wrapper {
    int magic, version;
    const void* data;
    void* rest;
};

__device__ int counter = 5;
__constant__ int fixed_[4] = {1, 2, 3, 4};
__managed__ int shared_ = 9;
__global__ void add(int* out) { atomicAdd(out, counter + fixed_[1]); }
__global__ void wild(int* out) { *out = 1; }

static char code[64], variable[64];

// Registers a fatbin of these bytes, and uses what is said to be in it. The answer of the launch.
static cudaError_t use(const void* data, int version = 1, void* rest = nullptr, const char* name = "kernel", size_t size = 4) {
    Wrapper wrapper = {0x466243b1, version, data, rest};
    void** fatbin = __cudaRegisterFatBinary(&wrapper);
    __cudaRegisterFunction(fatbin, code, code, name, -1, nullptr, nullptr, nullptr, nullptr, nullptr);
    __cudaRegisterVar(fatbin, variable, variable, "variable", 0, size, 0, 0);
    __cudaRegisterFatBinaryEnd(fatbin);
    cudaError_t error = cudaLaunchKernel(code, dim3(1), dim3(1), nullptr, 0, 0);
    int value[64] = {};
    cudaMemcpyToSymbol(variable, value, std::min(size, sizeof value));
    void* address;
    cudaGetSymbolAddress(&address, variable);
    cudaFuncAttributes attributes;
    cudaFuncGetAttributes(&attributes, code);
    cudaDeviceSynchronize();
    cudaGetLastError();
    __cudaUnregisterFatBinary(fatbin);
    return error;
}

// A fatbin of one entry, with its payload as it is.
static std::string fatbin(int kind, unsigned architecture, const std::string& payload) {
    auto put = [](std::string& to, size_t at, auto value) { std::memcpy(&to[at], &value, sizeof value); };
    std::string padded = payload + std::string(8 - payload.size() % 8, '\0'), all(16 + 64, '\0');
    put(all, 0, 0xba55ed50u);
    put(all, 4, short(1));
    put(all, 6, short(16));
    put(all, 8, static_cast<unsigned long long>(64 + padded.size()));
    put(all, 16, short(kind));
    put(all, 18, short(0x101));
    put(all, 20, 64u);
    put(all, 24, static_cast<unsigned long long>(padded.size()));
    put(all, 44, architecture);
    return all + padded;
}

struct Last {
    ~Last() {
        void* p;
        std::printf("in a destructor after main: %s, %s\n", cudaGetErrorName(cudaMalloc(&p, 10)), cudaGetErrorName(cudaDeviceSynchronize()));
    }
} last;

struct OfThread {
    ~OfThread() {
        int count;
        void* p;
        std::printf("in a thread's destructor: %s, %s, pending %s\n", cudaGetErrorName(cudaGetDeviceCount(&count)),
                    cudaGetErrorName(cudaMalloc(&p, 10)), cudaGetErrorName(cudaPeekAtLastError()));
    }
};
thread_local OfThread of_thread;

static void at_exit() {
    std::printf("at exit: launch %s", (add<<<1, 1>>>(&shared_), cudaGetErrorName(cudaGetLastError())));
    std::printf(", wait %s\n", cudaGetErrorName(cudaDeviceSynchronize()));
}

static unsigned random_state = 1;
static unsigned next() { return random_state = random_state * 1664525 + 1013904223, random_state >> 8; }

int main() {
    std::setbuf(stdout, nullptr);
    std::atexit(at_exit);
    std::string ptx = ".version 8.0\n.target sm_90\n.address_size 64\n.visible .global .align 4 .u32 variable;\n"
                      ".visible .entry kernel() { ret; }\n";
    std::string good = fatbin(1, 90, ptx), machine = fatbin(2, 90, std::string("\x7f" "ELF\2\1\1A") + std::string(500, 'x'));
    std::printf("a good one: %s\n", cudaGetErrorName(use(good.data())));
    std::printf("machine code alone: %s\n", cudaGetErrorName(use(machine.data())));
    std::printf("PTX for a newer device: %s\n", cudaGetErrorName(use(fatbin(1, 120, ptx).data())));
    std::printf("PTX with a mistake: %s\n", cudaGetErrorName(use(fatbin(1, 90, ptx + "nonsense").data())));
    std::printf("another name: %s\n", cudaGetErrorName(use(good.data(), 1, nullptr, "nobody")));
    std::printf("a name that is none: %s\n", cudaGetErrorName(use(good.data(), 1, nullptr, "")));
    for (size_t size : {size_t(0), size_t(3), size_t(64), size_t(1) << 40, ~size_t(0)})
        std::printf("a variable of %zu bytes, which has 4: %s\n", size, cudaGetErrorName(use(good.data(), 1, nullptr, "kernel", size)));
    std::atomic<int> all{0}, answers[1000] = {};
    for (const std::string& whole : {good, machine, fatbin(1, 120, ptx)})
        for (int round = 0; round < 700; ++round) {
            std::string damaged = whole + std::string(64, '\0');
            for (int n = 1 + next() % 3; n--;) damaged[round % 2 ? next() % 80 : next() % whole.size()] = next();
            // The header says how long it is; one that says more than there is would be read beyond its end by anyone.
            unsigned long long size;
            std::memcpy(&size, &damaged[8], 8);
            unsigned short header;
            std::memcpy(&header, &damaged[6], 2);
            if (size > whole.size() || header + size > damaged.size()) continue;
            answers[use(damaged.data())]++;
            all++;
        }
    int known = 0;
    for (cudaError_t error : {cudaSuccess, cudaErrorInvalidKernelImage, cudaErrorNoKernelImageForDevice, cudaErrorInvalidPtx,
                              cudaErrorInvalidDeviceFunction, cudaErrorUnsupportedPtxVersion, cudaErrorInvalidValue})
        known += answers[error];
    std::printf("%s damaged fatbins, %d with another answer\n", all > 1000 ? "many" : "few", all - known);

    // Sizes.
    int value[64] = {};
    SAY(cudaMemcpyToSymbol(counter, value, 8));
    SAY(cudaMemcpyToSymbol(counter, value, 4, 1));
    SAY(cudaMemcpyToSymbol(counter, value, 1, 4));
    SAY(cudaMemcpyToSymbol(counter, value, ~size_t(0)));
    SAY(cudaMemcpyFromSymbol(value, fixed_, 17));
    SAY(cudaMemcpyFromSymbol(value, fixed_, 4, ~size_t(3)));
    dim3 grid, block;
    size_t shared;
    void* stream_;
    SAY(__cudaPopCallConfiguration(&grid, &block, &shared, &stream_));
    __cudaUnregisterFatBinary(nullptr);
    __cudaUnregisterFatBinary(reinterpret_cast<void**>(12345));
    __cudaRegisterFatBinaryEnd(nullptr);
    __cudaRegisterFunction(nullptr, code, code, "kernel", -1, nullptr, nullptr, nullptr, nullptr, nullptr);
    SAY(cudaLaunchKernel(code, dim3(1), dim3(1), nullptr, 0, 0));

    // Use after a reset: everything from before is gone, and code is loaded again.
    int *old, *fresh, host = 0;
    cudaStream_t stream;
    cudaEvent_t event;
    OK(cudaMalloc(&old, 4));
    OK(cudaStreamCreate(&stream));
    OK(cudaEventCreate(&event));
    add<<<1, 1>>>(old);
    OK(cudaDeviceReset());
    SAY(cudaMemcpy(&host, old, 4, cudaMemcpyDeviceToHost));
    SAY(cudaFree(old));
    SAY(cudaStreamSynchronize(stream));
    SAY(cudaStreamDestroy(stream));
    SAY(cudaEventRecord(event, 0));
    SAY(cudaEventDestroy(event));
    OK(cudaMalloc(&fresh, 4));
    OK(cudaMemset(fresh, 0, 4));
    add<<<1, 1>>>(fresh);
    OK(cudaMemcpy(&host, fresh, 4, cudaMemcpyDeviceToHost));
    std::printf("after the reset: %d, and the managed variable is %d\n", host, shared_);
    std::vector<std::thread> threads;
    for (int n = 0; n < 8; ++n) threads.emplace_back([] {
        for (int i = 0; i < 20; ++i) {
            void* p;
            if (cudaMalloc(&p, 16) == cudaSuccess) cudaFree(p);
            add<<<1, 1>>>(&shared_);
            cudaDeviceReset();
        }
    });
    for (auto& thread : threads) thread.join();
    cudaDeviceReset();
    cudaGetLastError();

    // Threads that end with errors pending, and while they are configured.
    for (int n = 0; n < 3; ++n)
        std::thread([n] {
            if (n == 2) (void)&of_thread;
            cudaSetDevice(77);
            __cudaPushCallConfiguration(dim3(1), dim3(1), 0, nullptr);
            add<<<0, 0>>>(nullptr);
        }).join();
    std::printf("their errors are theirs: %s\n", cudaGetErrorName(cudaGetLastError()));

    // A fork before anything is used would work; here it is after.
    OK(cudaMalloc(&fresh, 4));
    std::fflush(stdout);
    if (pid_t child = fork()) {
        int status;
        waitpid(child, &status, 0);
        std::printf("child: %s %d\n", WIFEXITED(status) ? "ended" : "crashed", WEXITSTATUS(status));
    } else {
        void* p;
        SAY(cudaMalloc(&p, 10));
        SAY(cudaFree(fresh));
        SAY(cudaMemcpy(&host, fresh, 4, cudaMemcpyDeviceToHost));
        add<<<1, 1>>>(fresh);
        SAY(cudaGetLastError());
        SAY(cudaDeviceSynchronize());
        SAY(cudaDeviceReset());
        SAY(cudaGetDeviceCount(&host));
        std::exit(5);
    }
    // A fault, and the end of the program with it.
    wild<<<1, 1>>>(reinterpret_cast<int*>(24));
    SAY(cudaDeviceSynchronize());
}
