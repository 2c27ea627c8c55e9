"""A mechanism as a gymnasium environment: actions are inputs of a stepper, observations its outputs."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np

from cardan.analysis.stepping.stepper import Stepper, stepper
from cardan.errors import CardanError
from cardan.model.model import Model

try:
    import gymnasium
except ImportError:
    raise CardanError("cardan.gym needs the package gymnasium: pip install 'cardan[gym]'") from None


class MechanismEnvironment(gymnasium.Env[np.ndarray, np.ndarray]):
    """A model that is advanced by `duration` per action.

        observation = outputs,      inputs = scale * action,      action in [-1, 1]^n

    A subclass states the class variables, builds its model, chooses starts and computes rewards. Joint coordinates are
    integrated, and an episode starts from values of some of them.
    """

    metadata: dict[str, Any] = {"render_modes": []}
    inputs: ClassVar[tuple[str, ...]]
    outputs: ClassVar[tuple[str, ...]]
    scale: ClassVar[tuple[float, ...]]  # inputs at action = 1
    bounds: ClassVar[tuple[float, ...]]  # of the magnitudes of observations; inf: none
    duration: ClassVar[float] = 0.02
    horizon: ClassVar[int] = 500  # steps of an episode
    rtol: ClassVar[float] = 1e-6

    def __init__(self) -> None:
        size = len(self.inputs)
        self._high = high = np.array(self.bounds, np.float32)
        self.action_space = gymnasium.spaces.Box(-1.0, 1.0, (size,), np.float32)
        self.observation_space = gymnasium.spaces.Box(-high, high, (len(self.outputs),), np.float32)
        self.model = self.build()
        self.stepper: Stepper = stepper(self.model, self.inputs, self.outputs, coordinates="joint", rtol=self.rtol)
        self.steps = 0

    def build(self) -> Model:
        """The model."""
        raise NotImplementedError

    def start(self, random: np.random.Generator) -> dict[str, float]:
        """Joint coordinates, and their rates, from which an episode starts; the others are those of the model."""
        return {}

    def reward(self, outputs: np.ndarray, action: np.ndarray) -> float:
        """The reward of a step that led to these outputs."""
        raise NotImplementedError

    def failed(self, outputs: np.ndarray) -> bool:
        """Whether an episode ends because of these outputs."""
        raise NotImplementedError

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[np.ndarray, dict]:
        """Begin an episode; returns the observation and an empty dictionary."""
        super().reset(seed=seed)
        outputs = self.stepper.reset(coordinates=self.start(self.np_random))
        self.steps = 0
        return self._seen(outputs), {}

    def step(self, action: np.ndarray) -> tuple[np.ndarray, float, bool, bool, dict[str, Any]]:
        """Apply an action for `duration`; returns observation, reward, terminated, truncated and an empty dictionary.

        An episode whose step fails, as a mechanism that locks up, is terminated with reward 0.
        """
        limited = self.apply(action)
        try:
            self.stepper.step(self.duration)
        except CardanError as error:
            return self.result(limited, error)
        return self.result(limited)

    def apply(self, action: np.ndarray) -> np.ndarray:
        """Set the inputs; returns the action within its limits."""
        limited = np.minimum(np.maximum(np.asarray(action, float).reshape(-1), -1.0), 1.0)
        self.stepper.inputs[:] = limited * self.scale
        return limited

    def result(
        self, action: np.ndarray, error: CardanError | None = None
    ) -> tuple[np.ndarray, float, bool, bool, dict[str, Any]]:
        """What `step` returns, after the stepper has taken its step or failed."""
        self.steps += 1
        outputs = self.stepper.outputs
        if error is not None:
            return self._seen(outputs), 0.0, True, False, {"failed": str(error)}
        late = self.steps >= self.horizon
        return self._seen(outputs), self.reward(outputs, action), self.failed(outputs), late, {}

    def _seen(self, outputs: np.ndarray) -> np.ndarray:
        """An observation inside its bounds."""
        return np.minimum(np.maximum(outputs.astype(np.float32), -self._high), self._high)
