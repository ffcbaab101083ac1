/* Calls that are wrong, each with the status and a word of the message that it must have. */
#include <stdio.h>
#include <string.h>

#include "ptxvm.h"

static int wrong;

static void expect(ptxvm_status status, ptxvm_status expected, const char *word)
{
    if (status != expected || (word && !strstr(ptxvm_message(), word))) {
        printf("%d instead of %d, without `%s`: %s\n", status, expected, word ? word : "", ptxvm_message());
        wrong = 1;
    }
}

#define HEAD ".version 9.1\n.target sm_80\n.address_size 64\n"

int main(void)
{
    ptxvm_device *device;
    ptxvm_module *module;
    uint64_t address;
    size_t bytes;
    char byte;
    ptxvm_dim3 one = {1, 1, 1}, none = {0, 1, 1};
    const void *nothing[1] = {NULL};

    if (strcmp(ptxvm_message(), "") != 0) wrong = 1;
    expect(ptxvm_device_new("gtx", &device), PTXVM_USAGE, "available: h200");
    expect(ptxvm_device_new("\xff", &device), PTXVM_USAGE, "UTF-8");
    expect(ptxvm_device_new(NULL, NULL), PTXVM_USAGE, "null");
    expect(ptxvm_device_new(NULL, &device), PTXVM_OK, NULL);
    expect(ptxvm_device_set(device, "sed", "1"), PTXVM_USAGE, "available:");
    expect(ptxvm_device_set(device, "seed", "one"), PTXVM_USAGE, "seed=one");
    expect(ptxvm_device_set(NULL, "seed", "1"), PTXVM_USAGE, "the device is null");
    expect(ptxvm_allocate(device, (size_t)1 << 62, &address), PTXVM_USAGE, NULL);
    expect(ptxvm_allocate(device, 16, NULL), PTXVM_USAGE, "null");
    expect(ptxvm_free(device, 4096), PTXVM_USAGE, "0x1000");
    expect(ptxvm_allocate(device, 16, &address), PTXVM_OK, NULL);
    expect(ptxvm_read(device, &byte, address + 16, 1), PTXVM_USAGE, "reading 1 bytes");
    expect(ptxvm_write(device, address, NULL, 4), PTXVM_USAGE, "null");
    expect(ptxvm_write(device, address, NULL, 0), PTXVM_OK, NULL);
    expect(ptxvm_module_load(device, HEAD ".entry k() { add.ftz.s32 1, 2, 3; }", &module), PTXVM_INVALID, "error[E");
    expect(ptxvm_module_load(device, NULL, &module), PTXVM_USAGE, "the PTX is null");
    expect(ptxvm_module_load(device, HEAD ".visible .global .b32 v[3];\n.visible .entry k(.param .u32 a) { ret; }\n"
                             ".visible .entry t() { trap; }", &module), PTXVM_OK, NULL);
    expect(ptxvm_variable(module, "w", &address, &bytes), PTXVM_USAGE, "available: v");
    expect(ptxvm_variable(module, "v", NULL, &bytes), PTXVM_OK, NULL);
    if (bytes != 12) wrong = 1;
    expect(ptxvm_launch(module, "q", one, one, 0, NULL, 0), PTXVM_USAGE, "available: k");
    expect(ptxvm_launch(module, "k", one, one, 0, NULL, 0), PTXVM_USAGE, "1 parameters, and 0 arguments");
    expect(ptxvm_launch(module, "k", one, one, 0, NULL, 1), PTXVM_USAGE, "null");
    expect(ptxvm_launch(module, "k", one, one, 0, nothing, 1), PTXVM_USAGE, "argument 0 is null");
    expect(ptxvm_launch(module, "t", one, one, 1u << 30, NULL, 0), PTXVM_FINDING, NULL);
    expect(ptxvm_launch(module, "t", none, one, 0, NULL, 0), PTXVM_FINDING, NULL);
    expect(ptxvm_launch(module, "t", one, one, 0, NULL, 0), PTXVM_TRAP, "trap");
    if (!strstr(ptxvm_message_json(), "\"failure\":{")) wrong = 1;
    ptxvm_module_free(module);
    ptxvm_module_free(NULL);
    ptxvm_device_free(device);
    ptxvm_device_free(NULL);
    puts(wrong ? "some are wrong" : "all answered");
    return 0;
}
