/* Instances of the model: memory that begins as the image, with addresses added. */

struct NAME() {
    void *allocated;
    unsigned char *memory;
};

typedef int64_t (*Advance)(int64_t tables, double duration);
typedef int64_t (*Operation)(int64_t tables);
enum { /* numbers of kernels */
    ADVANCE, REFRESH, EXCHANGE_BEGIN, EXCHANGE_RATES, EXCHANGE_COMPLETE, EXCHANGE_UPDATE, EXCHANGE_NEXT
};

extern const uint64_t NAME(_kernels)[];

static double number_at(const NAME() *instance, size_t offset)
{
    double value;
    memcpy(&value, instance->memory + offset, sizeof value);
    return value;
}

static void relocate(unsigned char *memory)
{
    uint64_t word;
    size_t k;
    for (k = 0; k < POINTERS; k++) {
        memcpy(&word, memory + pointers[k], sizeof word);
        word += (uint64_t)(uintptr_t)memory;
        memcpy(memory + pointers[k], &word, sizeof word);
    }
    for (k = 0; k < KERNELS; k++)
        memcpy(memory + kernels[k][0], &NAME(_kernels)[kernels[k][1]], sizeof word);
}

static int64_t tables_of(NAME() *instance)
{
    return (int64_t)(uintptr_t)(instance->memory + AT_TABLES);
}

static int status_of(int64_t found)
{
    switch (found) {
    case FINISHED: return 0;
    case RUNNING: return 4;
    case BAD_DURATION: return 1;
    case BAD_INPUT: return 2;
    case TOO_DEEP: return 7;
    case NO_IMPULSES: return 8;
    case NO_MODES: return 9;
    case CHATTERS: return 10;
    default: return 3;
    }
}

PUBLIC NAME() *NAME(_open)(void)
{
    NAME() *instance = (NAME() *)malloc(sizeof *instance);
    if (!instance)
        return NULL;
    instance->allocated = malloc(SIZE + ALIGNMENT);
    if (!instance->allocated) {
        free(instance);
        return NULL;
    }
    instance->memory = (unsigned char *)instance->allocated;
    instance->memory += ALIGNMENT - (uintptr_t)instance->memory % ALIGNMENT;
    NAME(_reset)(instance);
    return instance;
}

PUBLIC void NAME(_close)(NAME() *instance)
{
    if (instance) {
        free(instance->allocated);
        free(instance);
    }
}

PUBLIC void NAME(_reset)(NAME() *instance)
{
    memcpy(instance->memory, image, SIZE);
    relocate(instance->memory);
}

PUBLIC int NAME(_set)(NAME() *instance, int input, double value)
{
    if (input < 0 || input >= INPUTS)
        return 5;
    memcpy(instance->memory + AT_INPUTS + 8 * (size_t)input, &value, sizeof value);
    return 0;
}

PUBLIC double NAME(_input)(const NAME() *instance, int input)
{
    return input < 0 || input >= INPUTS ? NAN : number_at(instance, AT_INPUTS + 8 * (size_t)input);
}

PUBLIC double NAME(_get)(const NAME() *instance, int output)
{
    return output < 0 || output >= OUTPUTS ? NAN : number_at(instance, AT_OUTPUTS + 8 * (size_t)output);
}

PUBLIC double NAME(_time)(const NAME() *instance)
{
    return number_at(instance, AT_TIME);
}

static int perform(NAME() *instance, int operation)
{
    return status_of(((Operation)(uintptr_t)NAME(_kernels)[operation])(tables_of(instance)));
}

PUBLIC int NAME(_step)(NAME() *instance, double duration)
{
    return status_of(((Advance)(uintptr_t)NAME(_kernels)[ADVANCE])(tables_of(instance), duration));
}

PUBLIC int NAME(_refresh)(NAME() *instance)
{
    return perform(instance, REFRESH);
}

PUBLIC size_t NAME(_state_size)(void)
{
    return SIZE;
}

PUBLIC void NAME(_save)(const NAME() *instance, void *state)
{
    unsigned char *bytes = (unsigned char *)state;
    const unsigned char *first = (const unsigned char *)image;
    size_t k;
    memcpy(bytes, instance->memory, SIZE);
    for (k = 0; k < POINTERS; k++)
        memcpy(bytes + pointers[k], first + pointers[k], 8);
    for (k = 0; k < KERNELS; k++)
        memcpy(bytes + kernels[k][0], first + kernels[k][0], 8);
    memcpy(bytes, &fingerprint, sizeof fingerprint);
}

PUBLIC int NAME(_restore)(NAME() *instance, const void *state)
{
    if (memcmp(state, &fingerprint, sizeof fingerprint))
        return 6;
    memcpy(instance->memory, state, SIZE);
    relocate(instance->memory);
    return 0;
}

PUBLIC const char *NAME(_message)(int status)
{
    static const char *const messages[] = {
        "done",
        "the duration of a step must be positive and finite",
        "an input is not a finite number",
        "the step failed: joints cannot be closed, or forces or masses cannot be evaluated",
        "the step needs too many steps of the integrator",
        "there is no such input",
        "this is not a state of this model",
        "bodies of a contact are inside each other",
        "no impulses were found that separate the bodies of contacts: reduce their friction",
        "contacts and friction have no consistent state: such large friction jams the mechanism; reduce it",
        "a contact strikes endlessly: give a speed below which it closes",
    };
    return status < 0 || status > 10 ? "unknown status" : messages[status];
}
