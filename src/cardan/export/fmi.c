/* FMI 2.0 and 3.0 for co-simulation, on the functions of the model.
 *
 * Value references: 0 is the time, then inputs, then outputs.
 */
#include <stdbool.h>
#include <stdio.h>

enum { OK = 0, ERROR = 3 };

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
    bool changed; /* inputs were set: outputs must be evaluated again */
    char *name;
    Logger2 logger2;
    Logger3 logger3;
    void *environment;
} Component;

static int fail(Component *component, const char *text)
{
    if (component->logger2)
        component->logger2(component->environment, component->name, ERROR, "logStatusError", "%s", text);
    if (component->logger3)
        component->logger3(component->environment, ERROR, "logStatusError", text);
    return ERROR;
}

static int checked(Component *component, int status)
{
    return status ? fail(component, NAME(_message)(status)) : OK;
}

static Component *instantiate(const char *name, const char *token, const Callbacks2 *callbacks, Logger3 logger, void *environment)
{
    Component *component = (Component *)calloc(1, sizeof *component);
    if (!component)
        return NULL;
    component->logger2 = callbacks ? callbacks->logger : NULL;
    component->logger3 = logger;
    component->environment = callbacks ? callbacks->environment : environment;
    component->name = (char *)malloc(strlen(name) + 1);
    component->model = component->name ? NAME(_open)() : NULL;
    if (component->name)
        strcpy(component->name, name);
    if (component->model && strcmp(token, TOKEN) == 0)
        return component;
    fail(component, component->model ? "the description is that of another FMU" : "memory is full");
    NAME(_close)(component->model);
    free(component->name);
    free(component);
    return NULL;
}

static void release(Component *component)
{
    if (component) {
        NAME(_close)(component->model);
        free(component->name);
        free(component);
    }
}

static int begin(Component *component, double start)
{
    return start == NAME(_time)(component->model)
        ? OK : fail(component, "the start time must be that of the exported model");
}

static int reset(Component *component)
{
    NAME(_reset)(component->model);
    component->changed = false;
    return OK;
}

static int read(Component *component, const uint32_t *references, size_t count, double *values)
{
    size_t k;
    if (component->changed) {
        int status = NAME(_refresh)(component->model);
        if (status)
            return checked(component, status);
        component->changed = false;
    }
    for (k = 0; k < count; k++) {
        uint32_t reference = references[k];
        if (reference > INPUTS + OUTPUTS)
            return fail(component, "there is no variable with this value reference");
        if (reference == 0)
            values[k] = NAME(_time)(component->model);
        else if (reference <= INPUTS)
            values[k] = NAME(_input)(component->model, (int)reference - 1);
        else
            values[k] = NAME(_get)(component->model, (int)reference - 1 - INPUTS);
    }
    return OK;
}

static int write(Component *component, const uint32_t *references, size_t count, const double *values)
{
    size_t k;
    for (k = 0; k < count; k++) {
        if (references[k] == 0 || references[k] > INPUTS)
            return fail(component, "this variable cannot be set");
        NAME(_set)(component->model, (int)references[k] - 1, values[k]);
        component->changed = true;
    }
    return OK;
}

static int advance(Component *component, double now, double duration)
{
    double mine = NAME(_time)(component->model);
    if (fabs(now - mine) > 1e-6 * fabs(duration) + 1e-12 * fabs(mine))
        return fail(component, "the communication point is not where the last step ended");
    component->changed = false;
    return checked(component, NAME(_step)(component->model, now + duration - mine));
}

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

/* --- FMI 2.0 --- */

PUBLIC const char *fmi2GetTypesPlatform(void) { return "default"; }
PUBLIC const char *fmi2GetVersion(void) { return "2.0"; }
PUBLIC int fmi2SetDebugLogging(void) { return OK; }
PUBLIC void *fmi2Instantiate(const char *name, int kind, const char *token, const char *place, const Callbacks2 *callbacks,
                             int visible, int logging)
{
    (void)place, (void)visible, (void)logging;
    return kind == 1 ? instantiate(name, token, callbacks, NULL, NULL) : NULL;
}
PUBLIC void fmi2FreeInstance(void *c) { release((Component *)c); }
PUBLIC int fmi2SetupExperiment(void *c, int tolerant, double tolerance, double start, int ends, double end)
{
    (void)tolerant, (void)tolerance, (void)ends, (void)end;
    return begin((Component *)c, start);
}
PUBLIC int fmi2EnterInitializationMode(void *c) { (void)c; return OK; }
PUBLIC int fmi2ExitInitializationMode(void *c) { return read((Component *)c, NULL, 0, NULL); }
PUBLIC int fmi2Terminate(void *c) { (void)c; return OK; }
PUBLIC int fmi2Reset(void *c) { return reset((Component *)c); }
PUBLIC int fmi2GetReal(void *c, const uint32_t *references, size_t count, double *values)
{
    return read((Component *)c, references, count, values);
}
PUBLIC int fmi2SetReal(void *c, const uint32_t *references, size_t count, const double *values)
{
    return write((Component *)c, references, count, values);
}
PUBLIC int fmi2GetFMUstate(void *c, void **state) { return save_state((Component *)c, state); }
PUBLIC int fmi2SetFMUstate(void *c, void *state) { return restore_state((Component *)c, state); }
PUBLIC int fmi2FreeFMUstate(void *c, void **state) { (void)c; free(*state); *state = NULL; return OK; }
PUBLIC int fmi2SerializedFMUstateSize(void *c, void *state, size_t *size)
{
    (void)c, (void)state;
    *size = NAME(_state_size)();
    return OK;
}
PUBLIC int fmi2SerializeFMUstate(void *c, void *state, char *bytes, size_t size)
{
    return serialize((Component *)c, state, bytes, size);
}
PUBLIC int fmi2DeSerializeFMUstate(void *c, const char *bytes, size_t size, void **state)
{
    return deserialize((Component *)c, bytes, size, state);
}
PUBLIC int fmi2DoStep(void *c, double now, double duration, int final)
{
    (void)final;
    return advance((Component *)c, now, duration);
}

/* --- FMI 3.0 --- */

PUBLIC const char *fmi3GetVersion(void) { return "3.0"; }
PUBLIC int fmi3SetDebugLogging(void) { return OK; }
PUBLIC void *fmi3InstantiateCoSimulation(const char *name, const char *token, const char *place, bool visible, bool logging,
                                         bool events, bool early, const uint32_t *intermediate, size_t count,
                                         void *environment, Logger3 logger, void *update)
{
    (void)place, (void)visible, (void)logging, (void)events, (void)early, (void)intermediate, (void)count, (void)update;
    return instantiate(name, token, NULL, logger, environment);
}
PUBLIC void *fmi3InstantiateModelExchange(void) { return NULL; }
PUBLIC void *fmi3InstantiateScheduledExecution(void) { return NULL; }
PUBLIC void fmi3FreeInstance(void *c) { release((Component *)c); }
PUBLIC int fmi3EnterInitializationMode(void *c, bool tolerant, double tolerance, double start, bool ends, double end)
{
    (void)tolerant, (void)tolerance, (void)ends, (void)end;
    return begin((Component *)c, start);
}
PUBLIC int fmi3ExitInitializationMode(void *c) { return read((Component *)c, NULL, 0, NULL); }
PUBLIC int fmi3Terminate(void *c) { (void)c; return OK; }
PUBLIC int fmi3Reset(void *c) { return reset((Component *)c); }
PUBLIC int fmi3GetFloat64(void *c, const uint32_t *references, size_t count, double *values, size_t size)
{
    return size == count ? read((Component *)c, references, count, values) : fail((Component *)c, "variables are scalars");
}
PUBLIC int fmi3SetFloat64(void *c, const uint32_t *references, size_t count, const double *values, size_t size)
{
    return size == count ? write((Component *)c, references, count, values) : fail((Component *)c, "variables are scalars");
}
PUBLIC int fmi3GetFMUState(void *c, void **state) { return save_state((Component *)c, state); }
PUBLIC int fmi3SetFMUState(void *c, void *state) { return restore_state((Component *)c, state); }
PUBLIC int fmi3FreeFMUState(void *c, void **state) { (void)c; free(*state); *state = NULL; return OK; }
PUBLIC int fmi3SerializedFMUStateSize(void *c, void *state, size_t *size)
{
    (void)c, (void)state;
    *size = NAME(_state_size)();
    return OK;
}
PUBLIC int fmi3SerializeFMUState(void *c, void *state, uint8_t *bytes, size_t size)
{
    return serialize((Component *)c, state, bytes, size);
}
PUBLIC int fmi3DeserializeFMUState(void *c, const uint8_t *bytes, size_t size, void **state)
{
    return deserialize((Component *)c, bytes, size, state);
}
PUBLIC int fmi3DoStep(void *c, double now, double duration, bool final, bool *event, bool *end, bool *early, double *last)
{
    int status = advance((Component *)c, now, duration);
    (void)final;
    *event = *end = *early = false;
    *last = NAME(_time)(((Component *)c)->model);
    return status;
}

/* --- functions of the standard that this FMU does not offer --- */

#define NONE(function) PUBLIC int function(void) { return ERROR; }
NONE(fmi2GetInteger) NONE(fmi2GetBoolean) NONE(fmi2GetString) NONE(fmi2SetInteger) NONE(fmi2SetBoolean)
NONE(fmi2SetString) NONE(fmi2GetDirectionalDerivative) NONE(fmi2EnterEventMode) NONE(fmi2NewDiscreteStates)
NONE(fmi2EnterContinuousTimeMode) NONE(fmi2CompletedIntegratorStep) NONE(fmi2SetTime) NONE(fmi2SetContinuousStates)
NONE(fmi2GetDerivatives) NONE(fmi2GetEventIndicators) NONE(fmi2GetContinuousStates)
NONE(fmi2GetNominalsOfContinuousStates) NONE(fmi2SetRealInputDerivatives) NONE(fmi2GetRealOutputDerivatives)
NONE(fmi2CancelStep) NONE(fmi2GetStatus) NONE(fmi2GetRealStatus) NONE(fmi2GetIntegerStatus) NONE(fmi2GetBooleanStatus)
NONE(fmi2GetStringStatus) NONE(fmi3EnterEventMode) NONE(fmi3GetFloat32) NONE(fmi3GetInt8) NONE(fmi3GetUInt8)
NONE(fmi3GetInt16) NONE(fmi3GetUInt16) NONE(fmi3GetInt32) NONE(fmi3GetUInt32) NONE(fmi3GetInt64) NONE(fmi3GetUInt64)
NONE(fmi3GetBoolean) NONE(fmi3GetString) NONE(fmi3GetBinary) NONE(fmi3GetClock) NONE(fmi3SetFloat32) NONE(fmi3SetInt8)
NONE(fmi3SetUInt8) NONE(fmi3SetInt16) NONE(fmi3SetUInt16) NONE(fmi3SetInt32) NONE(fmi3SetUInt32) NONE(fmi3SetInt64)
NONE(fmi3SetUInt64) NONE(fmi3SetBoolean) NONE(fmi3SetString) NONE(fmi3SetBinary) NONE(fmi3SetClock)
NONE(fmi3GetNumberOfVariableDependencies) NONE(fmi3GetVariableDependencies) NONE(fmi3GetDirectionalDerivative)
NONE(fmi3GetAdjointDerivative) NONE(fmi3EnterConfigurationMode) NONE(fmi3ExitConfigurationMode)
NONE(fmi3GetIntervalDecimal) NONE(fmi3GetIntervalFraction) NONE(fmi3GetShiftDecimal) NONE(fmi3GetShiftFraction)
NONE(fmi3SetIntervalDecimal) NONE(fmi3SetIntervalFraction) NONE(fmi3SetShiftDecimal) NONE(fmi3SetShiftFraction)
NONE(fmi3EvaluateDiscreteStates) NONE(fmi3UpdateDiscreteStates) NONE(fmi3EnterContinuousTimeMode)
NONE(fmi3CompletedIntegratorStep) NONE(fmi3SetTime) NONE(fmi3SetContinuousStates)
NONE(fmi3GetContinuousStateDerivatives) NONE(fmi3GetEventIndicators) NONE(fmi3GetContinuousStates)
NONE(fmi3GetNominalsOfContinuousStates) NONE(fmi3GetNumberOfEventIndicators) NONE(fmi3GetNumberOfContinuousStates)
NONE(fmi3EnterStepMode) NONE(fmi3GetOutputDerivatives) NONE(fmi3ActivateModelPartition)
