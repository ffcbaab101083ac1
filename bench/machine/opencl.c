// The OpenCL contestant: kernels/*.cl on the first device that OpenCL finds. For PoCL, POCL_MAX_PTHREAD_COUNT limits its threads.
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "contestant.h"

static cl_device_id device;
static cl_context context;
static cl_command_queue queue;
static cl_program program;
static cl_kernel kernels[LAUNCHES];
static cl_mem buffers[BUFFERS];
static int prepared;

// The sentence for an error, or null for none.
static const char *sentence(const char *what, cl_int error) {
    static char text[256];
    if (!error) return NULL;
    snprintf(text, sizeof text, "%s: OpenCL error %d", what, error);
    return text;
}

static const char *first_device(void) {
    cl_platform_id platform;
    cl_uint count = 0;
    if (clGetPlatformIDs(1, &platform, &count) || !count) return "no OpenCL platform";
    cl_int error = clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL);
    if (error) return sentence("clGetDeviceIDs", error);
    context = clCreateContext(NULL, 1, &device, NULL, NULL, &error);
    if (!error) queue = clCreateCommandQueue(context, device, 0, &error);
    return sentence("clCreateContext", error);
}

const char *load(const char *path) {
    const char *wrong = first_device();
    if (wrong) return wrong;
    static char source[1 << 16], options[512];
    FILE *file = fopen(path, "rb");
    if (!file) return "no such source";
    size_t length = fread(source, 1, sizeof source, file);
    fclose(file);
    const char *text = source;
    cl_int error;
    program = clCreateProgramWithSource(context, 1, &text, &length, &error);
    if (error) return sentence("clCreateProgramWithSource", error);
    snprintf(options, sizeof options, "-I %.*s", (int)(strrchr(path, '/') - path), path);
    error = clBuildProgram(program, 1, &device, options, NULL, NULL);
    if (error) {
        static char log[1 << 16];
        clGetProgramBuildInfo(program, device, CL_PROGRAM_BUILD_LOG, sizeof log, log, NULL);
        fputs(log, stderr);
    }
    return sentence("clBuildProgram", error);
}

const char *make_buffer(int index, size_t size) {
    cl_int error;
    buffers[index] = clCreateBuffer(context, CL_MEM_READ_WRITE, size, NULL, &error);
    return sentence("clCreateBuffer", error);
}

void write_buffer(int index, const void *bytes, size_t size) {
    clEnqueueWriteBuffer(queue, buffers[index], CL_TRUE, 0, size, bytes, 0, NULL, NULL);
}

void read_buffer(int index, void *bytes, size_t size) {
    clEnqueueReadBuffer(queue, buffers[index], CL_TRUE, 0, size, bytes, 0, NULL, NULL);
}

const char *prepare(const struct launch *launch) {
    cl_int error;
    cl_kernel kernel = clCreateKernel(program, launch->kernel, &error);
    for (int i = 0; i < launch->arguments && !error; i++) {
        const struct argument *a = &launch->argument[i];
        switch (a->kind) {
        case 'b': error = clSetKernelArg(kernel, i, sizeof(cl_mem), &buffers[a->buffer]); break;
        case 'i': error = clSetKernelArg(kernel, i, sizeof a->i, &a->i); break;
        case 'f': error = clSetKernelArg(kernel, i, sizeof a->f, &a->f); break;
        default: error = clSetKernelArg(kernel, i, sizeof a->d, &a->d);
        }
    }
    kernels[prepared++] = kernel;
    return sentence(launch->kernel, error);
}

const char *run(const struct launch *launches, int count) {
    for (int l = 0; l < count; l++) {
        const size_t *grid = launches[l].grid, *block = launches[l].block, global[2] = {grid[0] * block[0], grid[1] * block[1]};
        cl_int error = clEnqueueNDRangeKernel(queue, kernels[l], 2, NULL, global, block, 0, NULL, NULL);
        if (error) return sentence(launches[l].kernel, error);
    }
    return sentence("clFinish", clFinish(queue));
}

// With an argument: only says which device it is, and fails where there is none.
int main(int count, char **words) {
    (void)words;
    if (count == 1) return obey();
    if (first_device()) return 1;
    char name[256] = "";
    clGetDeviceInfo(device, CL_DEVICE_NAME, sizeof name, name, NULL);
    puts(name);
    return 0;
}
