"""Analyses: functions that turn a model into a result. They are loaded on first use."""

from cardan.lazy import lazy_attributes

# the module that defines each analysis, or what belongs to it
ANALYSES = {
    "Change": "forward.events.change",
    "Event": "forward.events.event",
    "Stepper": "stepping.stepper",
    "assemble": "assembly.assemble",
    "axle_sweep": "slow.axle_sweep",
    "eigenmodes": "linear.eigenmodes",
    "equations": "inspection.equations",
    "equilibrium": "equilibria.equilibrium",
    "equilibrium_path": "equilibria.equilibrium_path",
    "gradient": "sensitivity.gradient",
    "identify_inertia": "planning.identify_inertia",
    "initial_conditions": "assembly.initial_conditions",
    "inverse_dynamics": "driven.inverse_dynamics",
    "inverse_kinematics": "task_space.inverse_kinematics",
    "joint_space": "joint.joint_space",
    "kinematics": "driven.kinematics",
    "linearize": "linear.linearize",
    "mobility": "assembly.mobility",
    "modal_sensitivities": "sensitivity.modal_sensitivities",
    "peak_sensitivities": "sensitivity.peak_sensitivities",
    "motion_sensitivities": "sensitivity.motion_sensitivities",
    "optimize": "sensitivity.optimize",
    "periodic_motion": "steady.periodic_motion",
    "plan_motion": "planning.plan_motion",
    "quasi_static": "slow.quasi_static",
    "road_spectrum": "linear.road_spectrum",
    "root_locus": "linear.root_locus",
    "sensitivities": "sensitivity.sensitivities",
    "simulate": "forward.simulate",
    "steady_cornering": "slow.steady_cornering",
    "steady_motion": "steady.steady_motion",
    "stepper": "stepping.stepper",
    "symbolic_equations": "inspection.symbolic_equations",
    "task_space": "task_space.task_space",
}

__getattr__ = lazy_attributes(__name__, ANALYSES)
