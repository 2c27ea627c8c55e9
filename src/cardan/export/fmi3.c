/* FMI 3.0: co-simulation and model exchange. */

PUBLIC const char *fmi3GetVersion(void) { return "3.0"; }
PUBLIC int fmi3SetDebugLogging(void) { return OK; }
PUBLIC void *fmi3InstantiateCoSimulation(const char *name, const char *token, const char *place, bool visible, bool logging,
                                         bool events, bool early, const uint32_t *intermediate, size_t count,
                                         void *environment, Logger3 logger, void *update)
{
    (void)place, (void)visible, (void)logging, (void)events, (void)early, (void)intermediate, (void)count, (void)update;
    return instantiate(name, token, false, NULL, logger, environment);
}
PUBLIC void *fmi3InstantiateModelExchange(const char *name, const char *token, const char *place, bool visible, bool logging,
                                          void *environment, Logger3 logger)
{
    (void)place, (void)visible, (void)logging;
    return instantiate(name, token, true, NULL, logger, environment);
}
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

/* --- model exchange --- */

PUBLIC int fmi3EnterEventMode(void *c) { (void)c; return OK; }
PUBLIC int fmi3EnterContinuousTimeMode(void *c) { (void)c; return OK; }
PUBLIC int fmi3EvaluateDiscreteStates(void *c) { (void)c; return OK; }
PUBLIC int fmi3UpdateDiscreteStates(void *c, bool *again, bool *terminate, bool *nominals_changed, bool *states_changed,
                                    bool *next_defined, double *next)
{
    int status = update((Component *)c, states_changed, next);
    *again = *terminate = *nominals_changed = false;
    *next_defined = *next < INFINITY;
    return status;
}
PUBLIC int fmi3CompletedIntegratorStep(void *c, bool final, bool *event, bool *terminate)
{
    (void)final;
    *terminate = false;
    return complete_step((Component *)c, event);
}
PUBLIC int fmi3SetTime(void *c, double time) { return set_time((Component *)c, time); }
PUBLIC int fmi3SetContinuousStates(void *c, const double *x, size_t count) { return set_states((Component *)c, x, count); }
PUBLIC int fmi3GetContinuousStates(void *c, double *x, size_t count)
{
    return get_numbers((Component *)c, AT_X, STATES, x, count);
}
PUBLIC int fmi3GetContinuousStateDerivatives(void *c, double *dx, size_t count)
{
    return get_numbers((Component *)c, AT_DX, STATES, dx, count);
}
PUBLIC int fmi3GetEventIndicators(void *c, double *values, size_t count)
{
    return get_numbers((Component *)c, AT_INDICATORS, INDICATORS, values, count);
}
PUBLIC int fmi3GetNominalsOfContinuousStates(void *c, double *values, size_t count)
{
    return get_nominals((Component *)c, values, count);
}
PUBLIC int fmi3GetNumberOfContinuousStates(void *c, size_t *count) { (void)c; *count = STATES; return OK; }
PUBLIC int fmi3GetNumberOfEventIndicators(void *c, size_t *count) { (void)c; *count = INDICATORS; return OK; }
PUBLIC int fmi3GetDirectionalDerivative(void *c, const uint32_t *unknowns, size_t rows, const uint32_t *knowns, size_t columns,
                                        const double *seed, size_t seeds, double *result, size_t results)
{
    if (seeds != columns || results != rows)
        return fail((Component *)c, "variables are scalars");
    return derivative((Component *)c, unknowns, rows, knowns, columns, seed, result);
}
PUBLIC int fmi3GetAdjointDerivative(void *c, const uint32_t *unknowns, size_t rows, const uint32_t *knowns, size_t columns,
                                    const double *seed, size_t seeds, double *result, size_t results)
{
    size_t i, k;
    double one = 1.0, *column = (double *)(void *)((Component *)c)->scratch;
    if (seeds != rows || results != columns || rows > VARIABLES)
        return fail((Component *)c, "variables are scalars, and listed once");
    for (k = 0; k < columns; k++) {
        int status = derivative((Component *)c, unknowns, rows, knowns + k, 1, &one, column);
        if (status)
            return status;
        result[k] = 0.0;
        for (i = 0; i < rows; i++)
            result[k] += seed[i] * column[i];
    }
    return OK;
}

/* Functions of the standard that this FMU does not offer. */
#define NONE(function) PUBLIC int function(void) { return ERROR; }
NONE(fmi3GetFloat32) NONE(fmi3GetInt8) NONE(fmi3GetUInt8) NONE(fmi3GetInt16) NONE(fmi3GetUInt16) NONE(fmi3GetInt32)
NONE(fmi3GetUInt32) NONE(fmi3GetInt64) NONE(fmi3GetUInt64) NONE(fmi3GetBoolean) NONE(fmi3GetString)
NONE(fmi3GetBinary) NONE(fmi3GetClock) NONE(fmi3SetFloat32) NONE(fmi3SetInt8) NONE(fmi3SetUInt8) NONE(fmi3SetInt16)
NONE(fmi3SetUInt16) NONE(fmi3SetInt32) NONE(fmi3SetUInt32) NONE(fmi3SetInt64) NONE(fmi3SetUInt64) NONE(fmi3SetBoolean)
NONE(fmi3SetString) NONE(fmi3SetBinary) NONE(fmi3SetClock) NONE(fmi3GetNumberOfVariableDependencies)
NONE(fmi3GetVariableDependencies) NONE(fmi3EnterConfigurationMode) NONE(fmi3ExitConfigurationMode)
NONE(fmi3GetIntervalDecimal) NONE(fmi3GetIntervalFraction) NONE(fmi3GetShiftDecimal) NONE(fmi3GetShiftFraction)
NONE(fmi3SetIntervalDecimal) NONE(fmi3SetIntervalFraction) NONE(fmi3SetShiftDecimal) NONE(fmi3SetShiftFraction)
NONE(fmi3EnterStepMode) NONE(fmi3GetOutputDerivatives) NONE(fmi3ActivateModelPartition)
#undef NONE
