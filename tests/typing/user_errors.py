"""Mistakes that a type checker must find; each line says which. Checked by `test_types.py`, never run."""

from __future__ import annotations

from cardan import planar, spatial

flat, deep = planar.Model("flat"), spatial.Model("deep")
crank = flat.add(planar.Body(), name="crank")

planar.Revolute(flat.ground.at(), crank)  # expect: arg-type
planar.Revolute(flat.ground.at(), deep.ground.at())  # expect: arg-type
planar.Gear(flat.ground.at(), crank.at())  # expect: call-arg
planar.Distance(flat.ground.at(), crank.at())  # expect: call-arg
planar.Spring(crank, 5.0)  # expect: arg-type
planar.Spring(planar.x(crank.at()), stifness=5.0)  # expect: call-arg
planar.Driver(crank.at(), 1.0)  # expect: arg-type
planar.Load(crank, (1.0, 0.0))  # expect: arg-type
planar.Actuator(planar.x(crank.at()), "signal")  # expect: arg-type
planar.Sampled(max, [planar.x(crank.at())])  # expect: call-arg
