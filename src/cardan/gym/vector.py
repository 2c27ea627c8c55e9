"""Many environments at once: each thread steps a share of them, while compiled steps release the interpreter."""

from __future__ import annotations

import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.vector.utils import batch_space

from cardan.analysis.stepping.together import step_together
from cardan.gym.environment import MechanismEnvironment


class VectorEnvironment(VectorEnv[np.ndarray, np.ndarray, np.ndarray]):
    """`count` environments, made by a class or function, on threads. An episode that has ended begins anew at the next
    step, whose action is ignored (AutoresetMode.NEXT_STEP).

    >>> from cardan.gym import CartPole, VectorEnvironment
    >>> envs = VectorEnvironment(CartPole, 3)
    >>> observations, _ = envs.reset(seed=1)
    >>> observations, rewards, terminated, truncated, _ = envs.step(envs.action_space.sample())
    >>> observations.shape, rewards.tolist()
    ((3, 4), [1.0, 1.0, 1.0])
    """

    metadata: dict[str, Any] = {"autoreset_mode": AutoresetMode.NEXT_STEP, "render_modes": []}

    def __init__(self, make: Callable[[], MechanismEnvironment], count: int, threads: int | None = None) -> None:
        self.environments = [make() for _ in range(count)]
        first = self.environments[0]
        self.num_envs = count
        self.single_observation_space, self.single_action_space = first.observation_space, first.action_space
        self.observation_space = batch_space(first.observation_space, count)
        self.action_space = batch_space(first.action_space, count)
        self.spec = None
        self._threads = max(1, min(count, threads or os.cpu_count() or 1))
        self._pool = ThreadPoolExecutor(self._threads, thread_name_prefix="cardan-gym")
        self._ended = np.zeros(count, bool)
        self._seen = np.zeros((count, *(first.observation_space.shape or ())), np.float32)

    def reset(self, *, seed: Any = None, options: dict[str, Any] | None = None) -> tuple[np.ndarray, dict[str, Any]]:
        """Begin an episode in each environment; their seeds are seed, seed + 1, ..., or those of a list."""
        seeds = [None] * self.num_envs if seed is None else seed
        if isinstance(seeds, int | np.integer):
            seeds = [int(seeds) + k for k in range(self.num_envs)]
        for k, environment in enumerate(self.environments):
            self._seen[k] = environment.reset(seed=seeds[k])[0]
        self._ended[:] = False
        return self._seen.copy(), {}

    def step(self, actions: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray, dict[str, Any]]:
        """One step of each environment."""
        rewards = np.zeros(self.num_envs)
        terminated, truncated = np.zeros(self.num_envs, bool), np.zeros(self.num_envs, bool)
        for k in np.flatnonzero(self._ended).tolist():
            self._seen[k] = self.environments[k].reset()[0]
        moving = np.flatnonzero(~self._ended).tolist()
        limited = [self.environments[k].apply(actions[k]) for k in moving]
        steppers = [self.environments[k].stepper for k in moving]
        errors = step_together(steppers, self.environments[0].duration, self._pool, self._threads)
        for k, action, error in zip(moving, limited, errors, strict=True):
            found = self.environments[k].result(action, error)
            self._seen[k], rewards[k], terminated[k], truncated[k] = found[:4]
        self._ended = terminated | truncated
        return self._seen.copy(), rewards, terminated, truncated, {}

    def close_extras(self, **options: Any) -> None:
        self._pool.shutdown()
