"""Environments for reinforcement learning, on steppers: `pip install 'cardan[gym]'`.

    from cardan.gym import CartPole, Leg, VectorEnvironment

    env = CartPole()                                  a gymnasium environment
    envs = VectorEnvironment(CartPole, 64)            64 of them, stepped by threads

Importing the package registers "cardan/CartPole-v0" and "cardan/Leg-v0" with gymnasium.
"""

from cardan.gym.cart_pole import CartPole
from cardan.gym.environment import MechanismEnvironment
from cardan.gym.leg import Leg
from cardan.gym.vector import VectorEnvironment

__all__ = ["CartPole", "Leg", "MechanismEnvironment", "VectorEnvironment"]


def _register() -> None:
    from gymnasium.envs.registration import register, registry

    for name, kind in (("CartPole", CartPole), ("Leg", Leg)):
        if f"cardan/{name}-v0" not in registry:
            entry = f"cardan.gym:{name}"
            register(f"cardan/{name}-v0", entry_point=entry, vector_entry_point=None, max_episode_steps=kind.horizon)


_register()
