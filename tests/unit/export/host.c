/* A program that loads an FMU's library and steps several instances in threads.
 *
 * host LIBRARY VERSION TOKEN THREADS STEPS SIZE REFERENCE...      prints the variables after each step of the first
 * instance, then 1 if all instances had the same bits, also from a saved and serialized state.
 */
#include <dlfcn.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void *library;
static const char *version, *token;
static int steps, references;
static uint32_t reference[64];
static double size;

static void *symbol(const char *name)
{
    char full[128];
    void *found;
    snprintf(full, sizeof full, "fmi%c%s", version[0], name);
    found = dlsym(library, full);
    if (!found) {
        fprintf(stderr, "no %s\n", full);
        exit(2);
    }
    return found;
}

static void require(int status, const char *what)
{
    if (status) {
        fprintf(stderr, "%s returned %d\n", what, status);
        exit(1);
    }
}

typedef struct {
    void *logger, *allocate, *release, *finished, *environment;
} Callbacks;

static void *opened(const char *name)
{
    static Callbacks none;
    void *c;
    if (version[0] == '2') {
        c = ((void *(*)(const char *, int, const char *, const char *, Callbacks *, int, int))symbol("Instantiate"))(
            name, 1, token, "", &none, 0, 0);
        require(!c, "fmi2Instantiate");
        require(((int (*)(void *, int, double, double, int, double))symbol("SetupExperiment"))(c, 0, 0, 0, 0, 0), "setup");
        require(((int (*)(void *))symbol("EnterInitializationMode"))(c), "initialization");
    } else {
        c = ((void *(*)(const char *, const char *, const char *, bool, bool, bool, bool, const uint32_t *, size_t, void *,
                        void *, void *))symbol("InstantiateCoSimulation"))(
            name, token, "", false, false, false, false, NULL, 0, NULL, NULL, NULL);
        require(!c, "fmi3InstantiateCoSimulation");
        require(((int (*)(void *, bool, double, double, bool, double))symbol("EnterInitializationMode"))(
                    c, false, 0, 0, false, 0), "initialization");
    }
    require(((int (*)(void *))symbol("ExitInitializationMode"))(c), "end of initialization");
    return c;
}

static void run(void *c, int first, int last, double *rows)
{
    int k;
    for (k = first; k < last; k++) {
        double *row = rows + k * references, now = k * size;
        if (version[0] == '2') {
            require(((int (*)(void *, double, double, int))symbol("DoStep"))(c, now, size, 1), "step");
            require(((int (*)(void *, const uint32_t *, size_t, double *))symbol("GetReal"))(c, reference, references, row),
                    "get");
        } else {
            bool event, end, early;
            double time;
            require(((int (*)(void *, double, double, bool, bool *, bool *, bool *, double *))symbol("DoStep"))(
                        c, now, size, true, &event, &end, &early, &time), "step");
            require(((int (*)(void *, const uint32_t *, size_t, double *, size_t))symbol("GetFloat64"))(
                        c, reference, references, row, references), "get");
        }
    }
}

static void *thread(void *argument)
{
    const char *names[] = {"GetFMUstate", "SerializedFMUstateSize", "SerializeFMUstate", "DeSerializeFMUstate", "SetFMUstate",
                           "FreeFMUstate", "GetFMUState", "SerializedFMUStateSize", "SerializeFMUState",
                           "DeserializeFMUState", "SetFMUState", "FreeFMUState"};
    const char **name = names + (version[0] == '2' ? 0 : 6);
    double *rows = calloc((size_t)steps * references, sizeof *rows), *again = calloc((size_t)steps * references, sizeof *rows);
    void *c = opened("instance"), *other = opened("other"), *state = NULL, *copy = NULL;
    size_t bytes, half = sizeof *rows * (size_t)(steps / 2) * references;
    char *text;
    (void)argument;
    run(c, 0, steps / 2, rows);
    require(((int (*)(void *, void **))symbol(name[0]))(c, &state), name[0]);
    run(c, steps / 2, steps, rows);
    require(((int (*)(void *, void *, size_t *))symbol(name[1]))(c, state, &bytes), name[1]);
    text = malloc(bytes);
    require(((int (*)(void *, void *, char *, size_t))symbol(name[2]))(c, state, text, bytes), name[2]);
    require(((int (*)(void *, const char *, size_t, void **))symbol(name[3]))(other, text, bytes, &copy), name[3]);
    require(((int (*)(void *, void *))symbol(name[4]))(other, copy), name[4]);
    memcpy(again, rows, half);
    run(other, steps / 2, steps, again);
    if (memcmp(rows, again, sizeof *rows * (size_t)steps * references))
        require(1, "the serialized state");
    require(((int (*)(void *, void **))symbol(name[5]))(c, &state), name[5]);
    require(((int (*)(void *, void **))symbol(name[5]))(other, &copy), name[5]);
    ((void (*)(void *))symbol("FreeInstance"))(c);
    ((void (*)(void *))symbol("FreeInstance"))(other);
    free(text);
    free(again);
    return rows;
}

int main(int count, char **arguments)
{
    pthread_t threads[16];
    void *rows[16];
    int k, same = 1, number = atoi(arguments[4]);
    library = dlopen(arguments[1], RTLD_NOW | RTLD_LOCAL);
    if (!library) {
        fprintf(stderr, "%s\n", dlerror());
        return 2;
    }
    version = arguments[2];
    token = arguments[3];
    steps = atoi(arguments[5]);
    size = atof(arguments[6]);
    for (k = 7; k < count; k++)
        reference[references++] = (uint32_t)atoi(arguments[k]);
    for (k = 0; k < number; k++)
        pthread_create(&threads[k], NULL, thread, NULL);
    for (k = 0; k < number; k++)
        pthread_join(threads[k], &rows[k]);
    for (k = 1; k < number; k++)
        same = same && !memcmp(rows[0], rows[k], sizeof(double) * (size_t)steps * references);
    for (k = 0; k < steps * references; k++)
        printf("%.17g ", ((double *)rows[0])[k]);
    printf("\n%d\n", same);
    return 0;
}
