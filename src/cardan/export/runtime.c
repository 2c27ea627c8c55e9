/* Instances of the model: memory that begins as the image, with addresses added. */

struct NAME() {
    void *allocated;
    unsigned char *memory;
};

typedef int64_t (*Advance)(int64_t tables, double duration);
typedef int64_t (*Operation)(int64_t tables);
enum { /* numbers of kernels */
    ADVANCE, REFRESH, EXCHANGE_BEGIN, EXCHANGE_RATES, EXCHANGE_COMPLETE, EXCHANGE_UPDATE, EXCHANGE_NEXT, EXCHANGE_SLOPES
};

extern const uint64_t NAME(_kernels)[];
#if DERIVATIVES
extern const uint64_t NAME(_tangents)[], NAME(_span); /* see "derivatives" below */
#define MEMORY (2 * NAME(_span) + SIZE)
#else
#define MEMORY SIZE
#endif

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
    instance->allocated = malloc(MEMORY + ALIGNMENT);
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

#if DERIVATIVES
/* --- derivatives: the code of the model on dual numbers ---
 *
 * A number of the tables has its derivative NAME_span bytes behind it, an address of code that of its derivative.
 */

enum { SETTLE = 60 }; /* evaluations until reactions, and forces that depend on them, have their derivatives, */
#define SETTLED 1e-13 /* to this part of the largest one */

typedef int64_t (*Tangent)(int64_t tables, int64_t unused, unsigned char *base);
typedef size_t (*Place)(const uint32_t *which, size_t k); /* of a number in the tables */

static double *slope_at(NAME() *instance, size_t offset)
{
    return (double *)(void *)(instance->memory + NAME(_span) + offset);
}

static void clear_slopes(NAME() *instance)
{
    unsigned char *behind = instance->memory + NAME(_span);
    size_t k;
    memset(behind, 0, NAME(_span));
    for (k = 0; k < KERNELS; k++)
        memcpy(behind + kernels[k][0], &NAME(_tangents)[kernels[k][1]], 8);
}

/* One evaluation: inputs that change are written to the tables again. */
static int evaluate_slopes(NAME() *instance)
{
    double *applied = (double *)(void *)(instance->memory + AT_APPLIED);
    size_t k;
    for (k = 0; k < INPUTS; k++)
        if (*slope_at(instance, AT_INPUTS + 8 * k) != 0.0)
            applied[k] = NAN;
    return status_of(
        ((Tangent)(uintptr_t)NAME(_tangents)[EXCHANGE_SLOPES])(tables_of(instance), 0, instance->memory));
}

static int settle_slopes(NAME() *instance, Place place, const uint32_t *which, size_t count, double *result)
{
    int pass;
    size_t k;
    for (pass = 0; pass < SETTLE; pass++) {
        double change = pass ? 0.0 : INFINITY, largest = 0.0;
        int status = evaluate_slopes(instance);
        if (status)
            return status;
        for (k = 0; k < count; k++) {
            double value = *slope_at(instance, place(which, k));
            if (!isfinite(value))
                return 11;
            change = fmax(change, pass ? fabs(value - result[k]) : INFINITY);
            largest = fmax(largest, fabs(value));
            result[k] = value;
        }
        if (change <= SETTLED * largest)
            return 0;
    }
    return 12;
}

/* Derivatives of numbers along those that were set; the instance stays as it is. */
static int differentiate(NAME() *instance, int begin, Place place, const uint32_t *which, size_t count, double *result)
{
    unsigned char *kept = instance->memory + 2 * NAME(_span);
    int status;
    NAME(_save)(instance, kept);
    if (begin)
        perform(instance, EXCHANGE_BEGIN);
    status = settle_slopes(instance, place, which, count, result);
    NAME(_restore)(instance, kept);
    return status;
}

static size_t output_place(const uint32_t *which, size_t k)
{
    (void)which;
    return AT_OUTPUTS + 8 * k;
}

PUBLIC int NAME(_derivative)(NAME() *instance, const double *inputs, double *outputs)
{
    size_t k;
    clear_slopes(instance);
    for (k = 0; k < INPUTS; k++) {
        if (inputs[k] != 0.0 && driven[k])
            return 13;
        *slope_at(instance, AT_INPUTS + 8 * k) = inputs[k];
    }
    return differentiate(instance, 1, output_place, NULL, OUTPUTS, outputs);
}
#endif

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
        "there is no derivative at this state",
        "derivatives of forces that depend on reactions do not settle",
        "the motion of a driver acts over a step and has no derivative at an instant",
    };
    return status < 0 || status > 13 ? "unknown status" : messages[status];
}
