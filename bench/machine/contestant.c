// Reads the runner's orders and times the runs, for native.c and opencl.c alike; contestant.h lists the orders.
#include "contestant.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static size_t sizes[BUFFERS];
static void *kept[BUFFERS];
static char *paths[BUFFERS];
static struct launch launches[LAUNCHES];
static int launched;

static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec + 1e-9 * t.tv_nsec;
}

static int by_size(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return x < y ? -1 : x > y;
}

// The bytes of a file, or zeros without one.
static void *contents(const char *path, size_t size) {
    void *bytes = calloc(1, size);
    FILE *file = strcmp(path, "-") ? fopen(path, "rb") : NULL;
    if (file && fread(bytes, 1, size, file) != size) perror(path);
    if (file) fclose(file);
    return bytes;
}

static const char *new_buffer(const char *words) {
    int index;
    size_t size;
    char path[512];
    if (sscanf(words, "%d %zu %511s", &index, &size, path) != 3 || index < 0 || index >= BUFFERS) return "no such buffer";
    const char *wrong = make_buffer(index, size);
    if (wrong) return wrong;
    void *bytes = contents(path, size);
    write_buffer(index, bytes, size);
    free(bytes);
    sizes[index] = size;
    paths[index] = strdup(path);
    return NULL;
}

static const char *new_launch(char *words) {
    if (launched == LAUNCHES) return "too many launches";
    struct launch *l = &launches[launched];
    int used = 0;
    if (sscanf(words, "%63s %zu %zu %zu %zu%n", l->kernel, &l->grid[0], &l->grid[1], &l->block[0], &l->block[1], &used) != 5)
        return "a launch has a kernel and four sizes";
    for (char *word = strtok(words + used, " "); word && l->arguments < ARGUMENTS; word = strtok(NULL, " ")) {
        struct argument *a = &l->argument[l->arguments++];
        a->kind = word[0];
        switch (word[0]) {
        case 'b': a->buffer = atoi(word + 1); break;
        case 'i': a->i = (int32_t)strtoll(word + 1, NULL, 10); break;
        case 'f': a->f = strtof(word + 1, NULL); break;
        case 'd': a->d = strtod(word + 1, NULL); break;
        default: return "an argument is b, i, f or d";
        }
    }
    const char *wrong = prepare(l);
    if (!wrong) launched++;
    return wrong;
}

// The median and the least of the runs' seconds, in `seconds`.
static const char *time_runs(double slice, double *seconds) {
    static double times[4096];
    int runs = 0;
    double begin = now();
    do {
        for (int i = 0; i < BUFFERS; i++)
            if (kept[i]) write_buffer(i, kept[i], sizes[i]);
        double start = now();
        const char *wrong = run(launches, launched);
        if (wrong) return wrong;
        times[runs++] = now() - start;
    } while (now() - begin < slice && runs < 4096);
    qsort(times, runs, sizeof *times, by_size);
    seconds[0] = times[runs / 2];
    seconds[1] = times[0];
    return NULL;
}

static const char *save(const char *words) {
    int index;
    char path[512];
    if (sscanf(words, "%d %511s", &index, path) != 2 || index < 0 || index >= BUFFERS) return "no such buffer";
    void *bytes = malloc(sizes[index]);
    read_buffer(index, bytes, sizes[index]);
    FILE *file = fopen(path, "wb");
    int written = file && fwrite(bytes, 1, sizes[index], file) == sizes[index];
    if (file) fclose(file);
    free(bytes);
    return written ? NULL : "the file cannot be written";
}

int obey(void) {
    char line[4096];
    while (fgets(line, sizeof line, stdin)) {
        line[strcspn(line, "\n")] = 0;
        char *words = strchr(line, ' ');
        if (words) *words++ = 0;
        const char *wrong = "no such order";
        double seconds[2] = {-1};
        if (!words)
            wrong = "an order has words";
        else if (!strcmp(line, "load"))
            wrong = load(words);
        else if (!strcmp(line, "buffer"))
            wrong = new_buffer(words);
        else if (!strcmp(line, "restore")) {
            int i = atoi(words);
            kept[i] = contents(paths[i], sizes[i]);
            wrong = NULL;
        } else if (!strcmp(line, "launch"))
            wrong = new_launch(words);
        else if (!strcmp(line, "run"))
            wrong = time_runs(atof(words), seconds);
        else if (!strcmp(line, "save"))
            wrong = save(words);
        if (wrong)
            printf("error %s\n", wrong);
        else if (seconds[0] >= 0)
            printf("ok %.9f %.9f\n", seconds[0], seconds[1]);
        else
            puts("ok");
        fflush(stdout);
    }
    return 0;
}
