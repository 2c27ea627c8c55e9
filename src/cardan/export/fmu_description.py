"""The file modelDescription.xml of an FMU.

Value references: 0 is the time, then inputs, outputs, continuous states, their derivatives, event indicators. In FMI
2.0, where variables are counted from 1, they are the numbers of the variables.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from xml.sax.saxutils import quoteattr

from cardan.export.c_source import fingerprint
from cardan.export.exported_model import ExportedModel, Variable
from cardan.version import __version__

CO_SIMULATION, MODEL_EXCHANGE = "co-simulation", "model exchange"


def token(model: ExportedModel) -> str:
    """What identifies the binary."""
    return f"{{{model.name}-{fingerprint(model):016x}}}"


def description(model: ExportedModel, version: str, kinds: Sequence[str], rtol: float) -> str:
    """The text of the file."""
    third = version == "3.0"
    exchange = MODEL_EXCHANGE in kinds
    units = sorted({one.unit for one in (*model.inputs, *model.outputs) if one.unit})
    identity = "instantiationToken" if third else "guid"
    indicators = f' numberOfEventIndicators="{model.indicators}"' if exchange and not third else ""
    lines = [
        '<?xml version="1.0" encoding="UTF-8"?>',
        f'<fmiModelDescription fmiVersion="{version}" modelName={quoteattr(model.title)} '
        f'{identity}="{token(model)}" generationTool="Cardan {__version__}" '
        f'variableNamingConvention="flat"{indicators}>',
        *(f"  {line}" for line in _interfaces(model, third, kinds)),
    ]
    if units:
        lines += ["  <UnitDefinitions>", *(f"    <Unit name={quoteattr(u)}/>" for u in units), "  </UnitDefinitions>"]
    lines.append(f'  <DefaultExperiment startTime="{model.time!r}" tolerance="{rtol!r}"/>')
    lines += [
        "  <ModelVariables>",
        *(f"    {line}" for line in _variables(model, third, exchange)),
        "  </ModelVariables>",
    ]
    lines += ["  <ModelStructure>", *(f"    {line}" for line in _structure(model, third, exchange))]
    return "\n".join([*lines, "  </ModelStructure>", "</fmiModelDescription>", ""])


def _interfaces(model: ExportedModel, third: bool, kinds: Sequence[str]) -> Iterator[str]:
    state, plural = ("State", "s") if third else ("state", "")
    common = f'canGetAndSetFMU{state}="true" canSerializeFMU{state}="true"'
    if model.derivatives:
        common += f' providesDirectionalDerivative{plural}="true"'
    if third and model.derivatives:
        common += ' providesAdjointDerivatives="true"'
    if MODEL_EXCHANGE in kinds:
        needed = 'needsCompletedIntegratorStep="true" ' if third else ""
        yield f'<ModelExchange modelIdentifier="{model.name}" {needed}{common}/>'
    if CO_SIMULATION in kinds:
        steps = 'canHandleVariableCommunicationStepSize="true"'
        yield f'<CoSimulation modelIdentifier="{model.name}" {steps} {common}/>'


def _variables(model: ExportedModel, third: bool, exchange: bool) -> Iterator[str]:
    if third:
        yield '<Float64 name="time" valueReference="0" causality="independent" variability="continuous"/>'
    reference = 1
    for one in model.inputs:
        kind = 'causality="parameter" variability="tunable"' if one.parameter else _kind("input")
        yield _variable(third, one.name, reference, kind, _unit(one) + f' start="{one.start!r}"')
        reference += 1
    for one in model.outputs:
        yield _variable(third, one.name, reference, _kind("output"), _unit(one))
        reference += 1
    if not exchange:
        return
    local, first = f'{_kind("local")} initial="calculated"', reference
    for one in model.states:
        yield _variable(third, one.name, reference, local, f' nominal="{one.nominal!r}"')
        reference += 1
    for k, one in enumerate(model.states):
        yield _variable(third, f"der({one.name})", reference, local, f' derivative="{first + k}"')
        reference += 1
    for k in range(model.indicators if third else 0):
        yield _variable(third, f"event indicator {k + 1}", reference, local, "")
        reference += 1


def _kind(causality: str) -> str:
    return f'causality="{causality}" variability="continuous"'


def _unit(one: Variable) -> str:
    return f" unit={quoteattr(one.unit)}" if one.unit else ""


def _variable(third: bool, name: str, reference: int, general: str, numbers: str) -> str:
    head = f'name={quoteattr(name)} valueReference="{reference}" {general}'
    return f"<Float64 {head}{numbers}/>" if third else f"<ScalarVariable {head}><Real{numbers}/></ScalarVariable>"


def _structure(model: ExportedModel, third: bool, exchange: bool) -> Iterator[str]:
    first = len(model.inputs) + 1
    outputs = range(first, first + len(model.outputs))
    count = len(model.states) if exchange else 0
    states = range(outputs.stop, outputs.stop + count)
    rates = range(states.stop, states.stop + count)
    events = range(rates.stop, rates.stop + (model.indicators if exchange else 0))
    unknown = [*outputs, *states, *rates]
    if third:
        for kind, references in (
            ("Output", outputs),
            ("ContinuousStateDerivative", rates),
            ("InitialUnknown", unknown),
            ("EventIndicator", events),
        ):
            yield from (f'<{kind} valueReference="{k}"/>' for k in references)
        return
    for kind, references in (("Outputs", outputs), ("Derivatives", rates), ("InitialUnknowns", unknown)):
        if references:
            yield f"<{kind}>"
            yield from (f'  <Unknown index="{k}"/>' for k in references)
            yield f"</{kind}>"
