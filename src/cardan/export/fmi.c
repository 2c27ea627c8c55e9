/* What FMI 2.0 and 3.0 have in common, on the functions of the model.
 *
 * Value references: 0 is the time, then inputs, outputs, continuous states, their derivatives, event indicators.
 */
#include <stdbool.h>
#include <stdio.h>

enum { OK = 0, DISCARD = 2, ERROR = 3 };
enum {
    FIRST_OUTPUT = 1 + INPUTS,
    FIRST_STATE = FIRST_OUTPUT + OUTPUTS,
    FIRST_DERIVATIVE = FIRST_STATE + STATES,
    FIRST_INDICATOR = FIRST_DERIVATIVE + STATES,
    VARIABLES = FIRST_INDICATOR + INDICATORS
};

typedef void (*Logger2)(void *environment, const char *instance, int status, const char *category, const char *text, ...);
typedef void (*Logger3)(void *environment, int status, const char *category, const char *text);
typedef struct {
    Logger2 logger;
    void *(*allocate)(size_t count, size_t size);
    void (*release)(void *memory);
    void (*finished)(void *environment, int status);
    void *environment;
} Callbacks2;

typedef struct {
    NAME() *model;
    bool exchange; /* another program integrates */
    bool changed;  /* time, states or inputs were set: all must be evaluated again */
    char *name;
    unsigned char *scratch; /* a state of the model */
    Logger2 logger2;
    Logger3 logger3;
    void *environment;
} Component;

static int tell(Component *component, int status, const char *text)
{
    if (component->logger2)
        component->logger2(component->environment, component->name, status, "logStatusError", "%s", text);
    if (component->logger3)
        component->logger3(component->environment, status, "logStatusError", text);
    return status;
}

static int fail(Component *component, const char *text)
{
    return tell(component, ERROR, text);
}

static int checked(Component *component, int status)
{
    return status ? fail(component, NAME(_message)(status)) : OK;
}

static void release(Component *component)
{
    if (component) {
        NAME(_close)(component->model);
        free(component->name);
        free(component->scratch);
        free(component);
    }
}

static Component *instantiate(const char *name, const char *token, bool exchange, const Callbacks2 *callbacks, Logger3 logger,
                              void *environment)
{
    Component *component = (Component *)calloc(1, sizeof *component);
    if (!component)
        return NULL;
    component->exchange = exchange;
    component->logger2 = callbacks ? callbacks->logger : NULL;
    component->logger3 = logger;
    component->environment = callbacks ? callbacks->environment : environment;
    component->name = (char *)malloc(strlen(name) + 1);
    component->scratch = (unsigned char *)malloc(NAME(_state_size)());
    component->model = component->name && component->scratch ? NAME(_open)() : NULL;
    if (component->name)
        strcpy(component->name, name);
    if (component->model && strcmp(token, TOKEN) == 0) {
        perform(component->model, EXCHANGE_BEGIN);
        return component;
    }
    fail(component, component->model ? "the description is that of another FMU" : "memory is full");
    release(component);
    return NULL;
}

static int begin(Component *component, double start)
{
    return start == NAME(_time)(component->model)
        ? OK : fail(component, "the start time must be that of the exported model");
}

static int reset(Component *component)
{
    NAME(_reset)(component->model);
    perform(component->model, EXCHANGE_BEGIN);
    component->changed = false;
    return OK;
}

static double *numbers(Component *component, size_t offset)
{
    return (double *)(void *)(component->model->memory + offset);
}

/* Evaluate outputs, derivatives and event indicators if anything was set. Where that fails, a shorter step may help. */
static int evaluate(Component *component)
{
    int status;
    if (!component->changed)
        return OK;
    status = perform(component->model, component->exchange ? EXCHANGE_RATES : REFRESH);
    if (status)
        return component->exchange ? tell(component, DISCARD, NAME(_message)(status)) : checked(component, status);
    component->changed = false;
    return OK;
}

static double value_of(Component *component, uint32_t reference)
{
    if (reference == 0)
        return component->exchange ? *numbers(component, AT_EXCHANGE_TIME) : NAME(_time)(component->model);
    if (reference < FIRST_OUTPUT)
        return NAME(_input)(component->model, (int)reference - 1);
    if (reference < FIRST_STATE)
        return NAME(_get)(component->model, (int)reference - FIRST_OUTPUT);
    if (reference < FIRST_DERIVATIVE)
        return numbers(component, AT_X)[reference - FIRST_STATE];
    if (reference < FIRST_INDICATOR)
        return numbers(component, AT_DX)[reference - FIRST_DERIVATIVE];
    return numbers(component, AT_INDICATORS)[reference - FIRST_INDICATOR];
}

/* Evaluate as for another integrator; what the steps of the model remember is restored by the caller. */
static int look(Component *component)
{
    int status = perform(component->model, EXCHANGE_BEGIN);
    return status ? status : perform(component->model, EXCHANGE_RATES);
}

static int read(Component *component, const uint32_t *references, size_t count, double *values)
{
    size_t k;
    bool states = false;
    int status = evaluate(component);
    if (status)
        return status;
    for (k = 0; k < count; k++) {
        if (references[k] >= VARIABLES)
            return fail(component, "there is no variable with this value reference");
        states = states || references[k] >= FIRST_STATE;
    }
    if (states && !component->exchange) {
        NAME(_save)(component->model, component->scratch);
        status = look(component);
    }
    for (k = 0; k < count; k++)
        values[k] = value_of(component, references[k]);
    if (states && !component->exchange) {
        NAME(_restore)(component->model, component->scratch);
        return checked(component, status);
    }
    return OK;
}

static int write(Component *component, const uint32_t *references, size_t count, const double *values)
{
    size_t k;
    for (k = 0; k < count; k++) {
        if (references[k] >= FIRST_STATE && references[k] < FIRST_DERIVATIVE && component->exchange)
            numbers(component, AT_X)[references[k] - FIRST_STATE] = values[k];
        else if (references[k] == 0 || references[k] >= FIRST_OUTPUT)
            return fail(component, "this variable cannot be set");
        else
            NAME(_set)(component->model, (int)references[k] - 1, values[k]);
        component->changed = true;
    }
    return OK;
}

static int advance(Component *component, double now, double duration)
{
    double mine = NAME(_time)(component->model);
    if (component->exchange)
        return fail(component, "this instance was made for model exchange: it takes no steps");
    if (fabs(now - mine) > 1e-6 * fabs(duration) + 1e-12 * fabs(mine))
        return fail(component, "the communication point is not where the last step ended");
    component->changed = false;
    return checked(component, NAME(_step)(component->model, now + duration - mine));
}

/* --- model exchange --- */

static int set_time(Component *component, double time)
{
    *numbers(component, AT_EXCHANGE_TIME) = time;
    component->changed = true;
    return OK;
}

static int set_states(Component *component, const double *x, size_t count)
{
    if (count != STATES)
        return fail(component, "this is not the number of states");
    memcpy(numbers(component, AT_X), x, sizeof *x * STATES);
    component->changed = true;
    return OK;
}

static int get_numbers(Component *component, size_t offset, size_t expected, double *values, size_t count)
{
    int status = evaluate(component);
    if (count != expected)
        return fail(component, "this is not the number of values");
    if (status == OK)
        memcpy(values, numbers(component, offset), sizeof *values * count);
    return status;
}

static int get_nominals(Component *component, double *values, size_t count)
{
    static const double nominal[] = {NOMINALS 0.0};
    if (count != STATES)
        return fail(component, "this is not the number of states");
    memcpy(values, nominal, sizeof *values * count);
    return OK;
}

/* Accept a step; `event` is set where states must be corrected, because they have left the constraints. */
static int complete_step(Component *component, bool *event)
{
    int64_t opened;
    int status = checked(component, perform(component->model, EXCHANGE_COMPLETE));
    memcpy(&opened, component->model->memory + AT_OPENED, sizeof opened);
    *event = opened != 0;
    component->changed = false;
    return status;
}

static int update(Component *component, bool *moved, double *next)
{
    double *x = numbers(component, AT_X), *before = (double *)(void *)component->scratch;
    int status;
    memcpy(before, x, sizeof *x * STATES);
    status = checked(component, perform(component->model, EXCHANGE_UPDATE));
    *moved = memcmp(before, x, sizeof *x * STATES) != 0;
    perform(component->model, EXCHANGE_NEXT);
    *next = numbers(component, AT_EXCHANGE_TIME)[1];
    component->changed = false;
    return status;
}

/* --- directional derivatives --- */

#if DERIVATIVES
static size_t place_of(const uint32_t *references, size_t k)
{
    size_t reference = references[k];
    if (reference < FIRST_OUTPUT)
        return AT_INPUTS + 8 * (reference - 1);
    if (reference < FIRST_STATE)
        return AT_OUTPUTS + 8 * (reference - FIRST_OUTPUT);
    if (reference < FIRST_DERIVATIVE)
        return AT_X + 8 * (reference - FIRST_STATE);
    if (reference < FIRST_INDICATOR)
        return AT_DX + 8 * (reference - FIRST_DERIVATIVE);
    return AT_INDICATORS + 8 * (reference - FIRST_INDICATOR);
}

static int derivative(Component *component, const uint32_t *unknowns, size_t rows, const uint32_t *knowns, size_t columns,
                      const double *seed, double *result)
{
    NAME() *model = component->model;
    int status = evaluate(component);
    size_t k;
    if (status)
        return status;
    for (k = 0; k < rows; k++)
        if (unknowns[k] < FIRST_OUTPUT || unknowns[k] >= VARIABLES)
            return fail(component, "derivatives are those of outputs and of rates of states");
    clear_slopes(model);
    for (k = 0; k < columns; k++) {
        bool state = knowns[k] >= FIRST_STATE && knowns[k] < FIRST_DERIVATIVE;
        if (knowns[k] == 0 || (knowns[k] >= FIRST_OUTPUT && !state))
            return fail(component, "derivatives are taken with respect to inputs, parameters and states");
        if (!state && driven[knowns[k] - 1])
            return fail(component, NAME(_message)(13));
        *slope_at(model, place_of(knowns, k)) += seed[k];
    }
    return checked(component, differentiate(model, !component->exchange, place_of, unknowns, rows, result));
}
#else
static int derivative(Component *component, const uint32_t *unknowns, size_t rows, const uint32_t *knowns, size_t columns,
                      const double *seed, double *result)
{
    (void)unknowns, (void)rows, (void)knowns, (void)columns, (void)seed, (void)result;
    return fail(component, "the model was exported without derivatives");
}
#endif

/* --- states of the model --- */

static int save_state(Component *component, void **state)
{
    if (!*state)
        *state = malloc(NAME(_state_size)());
    if (!*state)
        return fail(component, "memory is full");
    NAME(_save)(component->model, *state);
    return OK;
}

static int restore_state(Component *component, const void *state)
{
    component->changed = true;
    return checked(component, NAME(_restore)(component->model, state));
}

static int serialize(Component *component, const void *state, void *bytes, size_t size)
{
    if (size < NAME(_state_size)())
        return fail(component, "there is no room for the state");
    memcpy(bytes, state, NAME(_state_size)());
    return OK;
}

static int deserialize(Component *component, const void *bytes, size_t size, void **state)
{
    if (size != NAME(_state_size)())
        return fail(component, "the state has another size");
    *state = *state ? *state : malloc(size);
    if (!*state)
        return fail(component, "memory is full");
    memcpy(*state, bytes, size);
    return OK;
}
