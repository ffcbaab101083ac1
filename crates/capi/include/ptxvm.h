/* ptxvm.h: the machine for programs in C. Link with -lptxvm.
 *
 * A device is a GPU of some make in this process. It has memory, loads PTX, and runs kernels with the bits that the GPU
 * would give. Every function that can fail answers a status; ptxvm_message() then says why.
 *
 * Functions may be called from several threads. Two launches on one device may run at the same time; what is freed must not be
 * in use. Handles must come from this library, and are not looked at for anything but null.
 */
#ifndef PTXVM_H
#define PTXVM_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* What became of a call: the numbers are those that the command `ptxvm` exits with. */
typedef enum ptxvm_status {
    PTXVM_OK = 0,
    PTXVM_USAGE = 1,       /* the call is wrong, or memory does not suffice */
    PTXVM_INVALID = 2,     /* the PTX is wrong */
    PTXVM_FINDING = 3,     /* the kernel did something wrong, or reached a limit */
    PTXVM_UNSUPPORTED = 4, /* ptxvm does not support something yet */
    PTXVM_BUG = 101,       /* ptxvm itself is broken: please report it */
    PTXVM_TRAP = 134       /* the kernel executed trap */
} ptxvm_status;

typedef struct ptxvm_device ptxvm_device;
typedef struct ptxvm_module ptxvm_module;

/* Three dimensions. */
typedef struct ptxvm_dim3 {
    uint32_t x, y, z;
} ptxvm_dim3;

/* The version, such as "0.1.0". */
const char *ptxvm_version(void);

/* What this thread's last call that did not answer PTXVM_OK has to say, for people; "" if there was none. It stays until the
 * thread's next call of another function. */
const char *ptxvm_message(void);

/* The same as a JSON object: {"findings": […], "failure": …} after a launch, else {"message": …}. */
const char *ptxvm_message_json(void);

/* Makes a device: "h200", "b200", "a100" …; NULL is the default. */
ptxvm_status ptxvm_device_new(const char *name, ptxvm_device **device);

/* Frees a device, and its memory with it when its modules are freed too. NULL is nothing. */
void ptxvm_device_free(ptxvm_device *device);

/* Sets an option of all launches to come, in the words of the command: "seed" "7", "check" "all", "timeout" "10s", "engine"
 * "interpret", "threads" "0". docs/run.md lists them. */
ptxvm_status ptxvm_device_set(ptxvm_device *device, const char *option, const char *value);

/* Takes what kernels print by vprintf; without, it is dropped. It may be called from several threads. */
void ptxvm_device_on_print(ptxvm_device *device, void (*print)(void *user, const char *text, size_t bytes), void *user);

/* Gives memory of the device, whose bytes are zero, and takes it back. */
ptxvm_status ptxvm_allocate(ptxvm_device *device, size_t bytes, uint64_t *address);
ptxvm_status ptxvm_free(ptxvm_device *device, uint64_t address);

/* Copies to and from the device's memory. */
ptxvm_status ptxvm_write(ptxvm_device *device, uint64_t to, const void *from, size_t bytes);
ptxvm_status ptxvm_read(ptxvm_device *device, void *to, uint64_t from, size_t bytes);

/* Loads PTX, a text that ends with a zero. */
ptxvm_status ptxvm_module_load(ptxvm_device *device, const char *ptx, ptxvm_module **module);

/* Frees a module. NULL is nothing. */
void ptxvm_module_free(ptxvm_module *module);

/* Where a variable of the module lies, and its size; either place may be NULL. */
ptxvm_status ptxvm_variable(ptxvm_module *module, const char *name, uint64_t *address, size_t *bytes);

/* Runs a kernel to its end. `arguments` has a pointer to the value of each parameter, in order, as cuLaunchKernel takes them;
 * `shared` is the size of dynamic shared memory. With option "check" a launch whose results are there may answer
 * PTXVM_FINDING: the message has all that was found. */
ptxvm_status ptxvm_launch(ptxvm_module *module, const char *kernel, ptxvm_dim3 grid, ptxvm_dim3 block, uint32_t shared,
                          const void *const *arguments, size_t count);

#ifdef __cplusplus
}
#endif

#endif
