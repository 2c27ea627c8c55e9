/* FMI 2.0: co-simulation and model exchange. */

PUBLIC const char *fmi2GetTypesPlatform(void) { return "default"; }
PUBLIC const char *fmi2GetVersion(void) { return "2.0"; }
PUBLIC int fmi2SetDebugLogging(void) { return OK; }
PUBLIC void *fmi2Instantiate(const char *name, int kind, const char *token, const char *place, const Callbacks2 *callbacks,
                             int visible, int logging)
{
    (void)place, (void)visible, (void)logging;
    return instantiate(name, token, kind == 0, callbacks, NULL, NULL);
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

/* --- model exchange --- */

typedef struct {
    int again;
    int terminate;
    int nominals_changed;
    int states_changed;
    int next_defined;
    double next;
} EventInfo2;

PUBLIC int fmi2EnterEventMode(void *c) { (void)c; return OK; }
PUBLIC int fmi2EnterContinuousTimeMode(void *c) { (void)c; return OK; }
PUBLIC int fmi2NewDiscreteStates(void *c, EventInfo2 *info)
{
    bool moved;
    int status = update((Component *)c, &moved, &info->next);
    info->again = info->terminate = info->nominals_changed = 0;
    info->states_changed = moved;
    info->next_defined = info->next < INFINITY;
    return status;
}
PUBLIC int fmi2CompletedIntegratorStep(void *c, int final, int *event, int *terminate)
{
    bool found;
    int status = complete_step((Component *)c, &found);
    (void)final;
    *event = found;
    *terminate = 0;
    return status;
}
PUBLIC int fmi2SetTime(void *c, double time) { return set_time((Component *)c, time); }
PUBLIC int fmi2SetContinuousStates(void *c, const double *x, size_t count) { return set_states((Component *)c, x, count); }
PUBLIC int fmi2GetContinuousStates(void *c, double *x, size_t count)
{
    return get_numbers((Component *)c, AT_X, STATES, x, count);
}
PUBLIC int fmi2GetDerivatives(void *c, double *dx, size_t count)
{
    return get_numbers((Component *)c, AT_DX, STATES, dx, count);
}
PUBLIC int fmi2GetEventIndicators(void *c, double *values, size_t count)
{
    return get_numbers((Component *)c, AT_INDICATORS, INDICATORS, values, count);
}
PUBLIC int fmi2GetNominalsOfContinuousStates(void *c, double *values, size_t count)
{
    return get_nominals((Component *)c, values, count);
}
PUBLIC int fmi2GetDirectionalDerivative(void *c, const uint32_t *unknowns, size_t rows, const uint32_t *knowns, size_t columns,
                                        const double *seed, double *result)
{
    return derivative((Component *)c, unknowns, rows, knowns, columns, seed, result);
}

/* Functions of the standard that this FMU does not offer. */
#define NONE(function) PUBLIC int function(void) { return ERROR; }
NONE(fmi2GetInteger) NONE(fmi2GetBoolean) NONE(fmi2GetString) NONE(fmi2SetInteger) NONE(fmi2SetBoolean)
NONE(fmi2SetString) NONE(fmi2SetRealInputDerivatives) NONE(fmi2GetRealOutputDerivatives) NONE(fmi2CancelStep)
NONE(fmi2GetStatus) NONE(fmi2GetRealStatus) NONE(fmi2GetIntegerStatus) NONE(fmi2GetBooleanStatus)
NONE(fmi2GetStringStatus)
#undef NONE
