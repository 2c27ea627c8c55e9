"""All mechanisms of the plane and of space, for laws that hold in both."""

import cardan.planar
import cardan.spatial
import catalog
import catalog_rolling
import catalog_spatial

CASES = catalog.CASES + catalog_spatial.CASES
ROLLING = catalog_rolling.PLANAR + catalog_rolling.SPATIAL  # these are not driven: rolling takes its own way

# What does not move anything, but loads it: put on every mechanism by the laws of forces.
LOADING = ("Action", "Friction", "Impact", "Load", "Spring", "Torque", "matter")
CONTROL = ("Actuator", "Controller", "ElectricMotor", "HydraulicCylinder", "Integrator", "Lag", "LookupTable", "PID")
CONTROL += ("Sampled", "Saturation", "SecondOrder", "Sensor", "StateSpace", "Sum", "TransferFunction", "controller")
CONTROL += ("rate", "reaction", "time")
# Forces that need dimensions of their own; their laws are in tests/properties/test_force_elements.py.
LOADING += (
    "Beam",
    "ShaftBearing",
    "Belt",
    "Buoyancy",
    "Bushing",
    "Cable",
    "Capstan",
    "Drag",
    "GearMesh",
    "Pulley",
    "Rope",
    "Wing",
    "Section",
    "add_planetary",
    "add_rod",
)
# Bodies with modes: see tests/unit/spatial/test_flexible_body.py and its planar twin.
LOADING += ("FlexibleBody",)
# Rotors: see tests/unit/elements/forces/test_armature.py.
LOADING += ("Armature",)
# Bodies without orientation: see tests/unit/elements/test_point_mass.py and test_junction.py.
LOADING += ("Junction", "PointMass")
LOADS = tuple(getattr(space, name) for space in (cardan.planar, cardan.spatial) for name in LOADING + CONTROL)
TOUCHING = (
    "Ball", "BookTire", "Contact", "Face", "MagicFormula", "Mesh", "Road", "Servo", "Stop", "Tire", "TireData",
    "wheel_on_road",
)  # fmt: skip
# Surfaces that may touch, and what acts between them: see laws/test_touches.py and unit/elements/test_contact.py.
LOADS += (cardan.planar.Contact, cardan.planar.Stop)  # the same in both spaces
LOADS += (cardan.planar.Disk, cardan.planar.Face, cardan.planar.Rim, cardan.spatial.Ball, cardan.spatial.Face)
LOADS += (cardan.spatial.Mesh, cardan.spatial.Road, cardan.spatial.wheel_on_road)
LOADS += (cardan.spatial.BookTire, cardan.spatial.Servo, cardan.spatial.Tire, cardan.spatial.TireData)
LOADS += (cardan.spatial.MagicFormula,)
