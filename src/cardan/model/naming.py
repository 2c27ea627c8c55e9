"""Names of measures in reports: after the joint that offers them, or the body whose coordinate they are.

hinge.angle     guide.travel     chassis.z     or, for any other, its expression: length(a(0, 0), b(1, 0))
"""

from __future__ import annotations

from cardan.model.element import Constraint
from cardan.model.measure import Measure, Readable
from cardan.model.model import Model


def measure_name(model: Model, measure: Readable) -> str:
    """The shortest name of a measure of the model."""
    if isinstance(measure, Measure) and measure.kind == "coordinate" and measure.b is not None:
        marker = measure.b
        if not any(marker.place) and marker.body is not model.ground:
            return f"{marker.body.name}.{measure.axes}"
    for element in model:
        if isinstance(element, Constraint):
            for name, offered in element.coordinates().items():
                if offered == measure:
                    return f"{element.name}.{name}"
    return str(measure)
