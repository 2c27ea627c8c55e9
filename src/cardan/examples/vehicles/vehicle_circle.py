r"""Vehicle circle: the car of `vehicle` turns into a circle at 20 mph with the rack held (after Haug 12.5).

        .---.                   steering angle   delta = L / R + K v^2 / R            (bicycle model)
      /       \    R            L: wheelbase;    K = m_f / C_f - m_r / C_r, what the side forces of the axles carry over
     |    o----|  <-- car       their cornering stiffnesses; K > 0: the car turns less the faster it goes
      \       /
        `---'                   `-p mph=40` and `-p mph=55` are the book's other speeds; at 55 the tires saturate

The rack travel is that of the bicycle model for a circle of 80 m. `-p bars=0` removes the torsion bars.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from cardan.examples import Headline
from cardan.examples.cars.compact import AXLES, STEER, G, load
from cardan.examples.vehicles.vehicle import build as build_vehicle
from cardan.postprocess.vehicle import VehicleMotion
from cardan.spatial import Model, Step, TireData

ANALYSIS = "simulate"
TIMES = (0.0, 12.0, 601)
SHOW = ("chassis.x", "chassis.y", "chassis.ay")
VARIATION = {"mph": (20.0, 40.0, 55.0)}  # Haug 12.5
RADIUS, MPH = 80.0, 0.44704


def build(mph: float = 20.0, bars: float = 1.0, radius: float = RADIUS) -> Model:
    """`radius` is that of the bicycle model, from which the steering angle follows."""
    speed = mph * MPH
    return build_vehicle(speed, bars, Step(0.5, 2.0, 0.0, STEER * steering_angle(speed, radius)))


def steering_angle(speed: float, radius: float, tire: Any = None) -> float:
    """delta of the bicycle model; the pneumatic trail t of each tire moves its side force backward."""
    tire, base = TireData() if tire is None else tire, AXLES["front"] - AXLES["rear"]
    front, rear = load("front"), load("rear")
    to_rear = base * front / (front + rear)  # from the mass center to the axles
    t_front, t_rear = (tire.trail * each / tire.load for each in (front, rear))
    moments = (to_rear + t_rear) / tire.cornering(front) - (base - to_rear - t_front) / tire.cornering(rear)
    understeer = (front + rear) / G * moments / (base + t_rear - t_front)
    return (base + understeer * speed**2) / radius


def final_radius(run: Any) -> float:
    """Speed over yaw rate, over the last second."""
    car = VehicleMotion(run, "chassis")
    last = car.times > car.times[-1] - 1.0
    return float(np.mean(car.speed[last] / car.yaw_rate[last]))


# camber, the inner wheel's own angle, load transfer and a somewhat lower speed are not in the formula
HEADLINE = Headline("radius of the circle", "m", final_radius, RADIUS, 1.0)
