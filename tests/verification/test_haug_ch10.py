"""Haug, section 10.1: redundant constraints in space."""

from __future__ import annotations

from cardan import AssemblyError, assemble, mobility
from cardan.spatial import Body, Cylindrical, Fixed, Hold, Model, Revolute, Translational, rotation, x, z

SOURCE = "Example 10.1.1"


def test_redundant_slider_crank(record):
    """Example 10.1.1: slider-crank with three revolute joints and a translational one.

    Dimensions stand only in a figure; chosen here: crank 1, rod 2, the slider on the y axis, all hinges parallel to z.
    The book counts 28 coordinates and 30 equations, among them six of a ground body and four of Euler parameters.
    `Fixed` stands for the former, the latter do not exist here.
    """
    report = mobility(_slider_crank("translational", ground_body=True))
    norms = 4
    found = report.coordinates + norms, report.equations + norms, len(report.redundant), report.degrees_of_freedom
    record.fact("nc, nh, redundant, degrees of freedom", found, (28, 30, 3, 1), SOURCE)
    report = mobility(_slider_crank("translational"), imperfect=True)
    found = report.coordinates, report.equations, report.rank, report.degrees_of_freedom
    record.fact(
        "without ground body: speeds, equations, rank, degrees of freedom",
        found,
        (18, 20, 17, 1),
        SOURCE,
        "closed form",
    )
    redundant = sorted(f"{name} ({label})" for name, label in report.redundant)
    expected = ["C (turn x)", "C (turn y)", "C (z)"]
    record.fact("redundant: direction of the axis and z at C", redundant, expected, SOURCE, "statement")
    implied = sorted({element for cause in report.implied_by.values() for element in cause} - {"C"})
    record.fact("implied by", implied, ["A", "B", "D"], SOURCE, "statement")
    record.fact(
        "degrees of freedom with slightly wrong dimensions",
        report.imperfect_degrees_of_freedom,
        0,
        SOURCE,
        "closed form",
    )
    record.fact("closes with a wrong axis at A", _closes("translational"), False, SOURCE, "statement")
    record.erratum(
        "Haug, section 10.1", "a centre of the revolute joint 'does not lie in the y-z plane'; it is the x-y plane."
    )


def test_slider_on_two_coordinates(record):
    """Example 10.1.1: absolute x and z of C in place of the translational joint.

    The count, 28 - 27 = 1, hides a redundant equation and a second freedom: the slider turns about C. With the axis at
    A tilted out of line the mechanism does not close, which shows the redundancy.
    """
    report = mobility(_slider_crank("absolute", ground_body=True))
    found = report.coordinates + 4 - (report.equations + 4)
    record.fact("coordinates less equations", found, 1, SOURCE)
    report = mobility(_slider_crank("absolute"), imperfect=True)
    found = report.equations, report.rank, report.degrees_of_freedom, len(report.redundant)
    record.fact("equations, rank, degrees of freedom, redundant", found, (17, 16, 2, 1), SOURCE, "recomputed")
    record.fact("redundant", report.redundant, (("C", "z"),), SOURCE, "statement")
    record.fact("closes with a wrong axis at A", _closes("absolute"), False, SOURCE, "statement")


def test_slider_on_a_cylindrical_joint(record):
    """Example 10.1.1: then a cylindrical joint at C.

    Nothing is redundant, but the slider still turns about the joint's axis.
    """
    report = mobility(_slider_crank("absolute", joint=Cylindrical), imperfect=True)
    found = report.equations, report.rank, report.degrees_of_freedom, len(report.redundant)
    record.fact("equations, rank, degrees of freedom, redundant", found, (16, 16, 2, 0), SOURCE, "statement")
    record.fact(
        "degrees of freedom with slightly wrong dimensions", report.imperfect_degrees_of_freedom, 2, SOURCE, "statement"
    )
    record.fact("closes with a wrong axis at A", _closes("absolute", joint=Cylindrical), True, SOURCE, "statement")


def _closes(guide, joint=Revolute):
    """Whether the mechanism can be assembled with the axis at A tilted about x by a hundredth of a radian."""
    try:
        assemble(_slider_crank(guide, joint, axis=(0, 0.01, 1)))
    except AssemblyError:
        return False
    return True


def _slider_crank(guide, joint=Revolute, ground_body=False, axis=(0, 0, 1)):
    """The joint at C is stated last, so that what it repeats is called redundant there."""
    model = Model("slider-crank")
    base = model.ground
    if ground_body:
        base = model.add(Body(), name="ground body")
        model.add(Fixed(model.ground.at(), base.at()), name="fixed")
    crank = model.add(Body(orientation=rotation.from_axis_angle((0, 0, 1), 0.6)), name="crank")
    # B = (cos 0.6, sin 0.6, 0) and C on the y axis, 2 away from B: near (0, 2.4, 0)
    rod = model.add(Body(position=(0.4, 1.5, 0), orientation=rotation.from_axis_angle((0, 0, 1), 2.0)), name="rod")
    slider = model.add(Body(position=(0, 2.4, 0)), name="slider")
    model.add(Revolute(base.at(z=axis), crank.at()), name="A")
    model.add(Revolute(crank.at(1, 0, 0), rod.at(-1, 0, 0)), name="B")
    if guide == "translational":
        model.add(Translational(base.at(z=(0, 1, 0)), slider.at(z=(0, 1, 0))), name="D")
    else:
        model.add(Hold(x(slider.at())), name="x of C")
        model.add(Hold(z(slider.at())), name="z of C")
    model.add(joint(rod.at(1, 0, 0), slider.at()), name="C")
    return model
