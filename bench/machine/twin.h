// What the C twin of a kernel gets: the kernel's arguments, and how many CTAs the launch has in its first dimension.
#pragma once
#include <stddef.h>
#include <stdint.h>

union value {
    void *at;
    int32_t i;
    float f;
    double d;
};

typedef void twin(const union value *arg, size_t ctas);

#define TWIN(name) void twin_##name(const union value *arg, size_t ctas)
