// What the C programs share: the runner's orders, one a line on standard input, and the answers to them.
//
//   load PATH                                the kernels' source, for those who need it
//   buffer INDEX BYTES PATH                  device memory with a file's bytes; `-` for zeros
//   restore INDEX                            this buffer has its first bytes again before every run
//   launch KERNEL GX GY BX BY ARGUMENT...    one more launch of a run: b3 is a buffer, i-1 f0.5 d0.5 are numbers
//   run SECONDS                              runs until so much time has passed, once at least
//   save INDEX PATH                          writes a buffer's bytes to a file
//
// The answer is `ok`, or `error` and a sentence. After `run` come the median and the least of the runs' seconds.
#pragma once
#include <stddef.h>
#include <stdint.h>

enum { BUFFERS = 16, ARGUMENTS = 12, LAUNCHES = 32 };

struct argument {
    char kind;
    union {
        int buffer;
        int32_t i;
        float f;
        double d;
    };
};

struct launch {
    char kernel[64];
    size_t grid[2], block[2];
    int arguments;
    struct argument argument[ARGUMENTS];
};

// What each program does in its own way. The sentence is what went wrong, or null.
const char *load(const char *path);
const char *make_buffer(int index, size_t size);
void write_buffer(int index, const void *bytes, size_t size);
void read_buffer(int index, void *bytes, size_t size);
// Prepares a launch, which stays where it is.
const char *prepare(const struct launch *launch);
// Runs the prepared launches in their order, to the end of the last.
const char *run(const struct launch *launches, int count);

// Obeys until the input ends.
int obey(void);
