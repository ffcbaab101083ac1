// Programs whose code cannot be loaded, and calls at odd times: machine code only, damaged fatbins, functions that nobody
// registered, calls from atexit handlers and in a forked child. The runtime's error codes, and no crash.
#include "check.h"
#include <sys/wait.h>
#include <unistd.h>

extern "C" void** __cudaRegisterFatBinary(void*);
extern "C" void __cudaRegisterFatBinaryEnd(void**);
extern "C" void __cudaUnregisterFatBinary(void**);
extern "C" void __cudaRegisterFunction(void**, const char*, char*, const char*, int, uint3*, uint3*, dim3*, dim3*, int*);
extern "C" void __cudaRegisterVar(void**, char*, char*, const char*, int, size_t, int, int);

struct Wrapper {
    int magic, version;
    const void* data;
    void* rest;
};

static char code[64], variable[64];

// Registers a fatbin of these bytes with one kernel and one variable, and uses them.
static void with(const char* what, Wrapper wrapper) {
    void** fatbin = __cudaRegisterFatBinary(&wrapper);
    __cudaRegisterFunction(fatbin, code, code, "kernel", -1, nullptr, nullptr, nullptr, nullptr, nullptr);
    __cudaRegisterVar(fatbin, variable, variable, "variable", 0, 4, 0, 0);
    __cudaRegisterFatBinaryEnd(fatbin);
    int value = 0;
    std::printf("%s:", what);
    std::printf(" launch %s,", cudaGetErrorName(cudaLaunchKernel(code, dim3(1), dim3(1), nullptr, 0, 0)));
    std::printf(" variable %s\n", cudaGetErrorName(cudaMemcpyToSymbol(variable, &value, 4)));
    __cudaUnregisterFatBinary(fatbin);
    cudaGetLastError();
}

__global__ void fine(int* out) { *out = 7; }

static void at_exit() {
    void* p;
    std::printf("at exit: %s\n", cudaGetErrorName(cudaMalloc(&p, 10)));
}

int main() {
    std::setbuf(stdout, nullptr);
    std::atexit(at_exit);
    struct {
        unsigned magic;
        unsigned short version, header;
        unsigned long long size;
        char entries[64];
    } empty = {0xba55ed50, 1, 16, 0, {}}, cut = {0xba55ed50, 1, 16, 64, {2, 0, 1, 1, 64, 0, 0, 0, 120, 120, 120}};
    const char* text = "\x7f" "ELF no image at all";
    with("no entries", {0x466243b1, 1, &empty, nullptr});
    with("damaged", {0x466243b1, 1, &cut, nullptr});
    with("other magic", {0x12345678, 1, &empty, nullptr});
    with("no fatbin", {0x466243b1, 1, text, nullptr});
    with("null", {0x466243b1, 1, nullptr, nullptr});
    void* none[] = {nullptr};
    with("no parts", {0x466243b1, 2, &empty, none});
    SAY(cudaLaunchKernel(code, dim3(1), dim3(1), nullptr, 0, 0));
    SAY(cudaMemcpyToSymbol(variable, &none, 4));

    int *out, host = 0;
    OK(cudaMalloc(&out, sizeof *out));
    fine<<<1, 1>>>(out);
    OK(cudaMemcpy(&host, out, sizeof host, cudaMemcpyDeviceToHost));
    std::printf("after all that: %d\n", host);
    if (pid_t child = fork()) {
        int status;
        waitpid(child, &status, 0);
        std::printf("child: %d\n", WEXITSTATUS(status));
    } else {
        void* p;
        _exit(cudaMalloc(&p, 10));
    }
}
