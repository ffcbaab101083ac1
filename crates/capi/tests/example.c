/* The example of docs/c.md: doubles an array, prints the sum, then lets a kernel write past its end. */
#include <stdio.h>
#include <string.h>

#include "ptxvm.h"

static const char *const SOURCE =
    ".version 9.1\n.target sm_80\n.address_size 64\n"
    ".visible .entry twice(.param .u64 .ptr .global x, .param .u32 n)\n"
    "{\n"
    "    .reg .pred %out; .reg .b32 %t, %n; .reg .f32 %v; .reg .b64 %p;\n"
    "    mov.u32 %t, %tid.x;\n"
    "    ld.param.u32 %n, [n];\n"
    "    setp.ge.u32 %out, %t, %n;\n"
    "    @%out ret;\n"
    "    ld.param.u64 %p, [x];\n"
    "    mad.wide.u32 %p, %t, 4, %p;\n"
    "    ld.global.f32 %v, [%p];\n"
    "    add.f32 %v, %v, %v;\n"
    "    st.global.f32 [%p], %v;\n"
    "    ret;\n"
    "}\n";

#define CHECK(call)                                                        \
    do {                                                                   \
        ptxvm_status status = (call);                                      \
        if (status != PTXVM_OK) {                                          \
            fprintf(stderr, "%s: %d\n%s\n", #call, status, ptxvm_message()); \
            return 1;                                                      \
        }                                                                  \
    } while (0)

int main(void)
{
    ptxvm_device *device;
    ptxvm_module *module;
    uint64_t x;
    float values[8] = {0, 1, 2, 3, 4, 5, 6, 7}, sum = 0;
    uint32_t n = 8;
    const void *arguments[] = {&x, &n};
    ptxvm_dim3 one = {1, 1, 1}, block = {32, 1, 1};

    CHECK(ptxvm_device_new("h200", &device));
    CHECK(ptxvm_device_set(device, "check", "all"));
    CHECK(ptxvm_allocate(device, sizeof values, &x));
    CHECK(ptxvm_write(device, x, values, sizeof values));
    CHECK(ptxvm_module_load(device, SOURCE, &module));
    CHECK(ptxvm_launch(module, "twice", one, block, 0, arguments, 2));
    CHECK(ptxvm_read(device, values, x, sizeof values));
    for (int i = 0; i < 8; i++) sum += values[i];
    printf("sum %g\n", sum);

    n = 9;
    ptxvm_status status = ptxvm_launch(module, "twice", one, block, 0, arguments, 2);
    printf("status %d\n%s\n", status, ptxvm_message());

    CHECK(ptxvm_free(device, x));
    ptxvm_module_free(module);
    ptxvm_device_free(device);
    return 0;
}
