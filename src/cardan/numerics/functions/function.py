"""A user's plain Python function becomes machine code that returns values and exact derivatives.

    def parabola(x, y, c):                     compile_function(parabola, arguments=2, parameters=(1.5,))
        return y - c * x * x

Every compiled function stands at an address and has one signature; a loop that calls through a table of addresses is
compiled once:

    int32 status = f(double *z, double *zdot, double *out)

    z      the arguments, then the parameters         zdot   the rates of the arguments
    out    per output the block  v, d, c, e, g_0 ... g_{n-1}: value, first to third derivative along the rates,
           gradient by the n arguments (see `jet.py`)
    status 0 done, 1 a result is not finite (e aside), 2 the function raised an exception

Parameters live behind the arguments in z: another value compiles nothing. Compiled functions are kept in the cache
directory under a fingerprint of all they depend on. What cannot be compiled is run by the interpreter behind the
same signature (`interpreted.py`): microseconds a call instead of nanoseconds, and a warning says so.
"""

from __future__ import annotations

import ctypes
import inspect
import math
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any
from weakref import WeakSet, WeakValueDictionary

import numpy as np

from cardan.errors import ModelError, warn
from cardan.numerics.autodiff.jet import variable
from cardan.numerics.compiled.jit import COMPILED, Intrinsic
from cardan.numerics.functions.interpreted import (
    Runner,
    as_outputs,
    difference_runner,
    jet_runner,
    on_jets,
    plain_runner,
    take_interrupt,
)
from cardan.numerics.functions.portable import portable

LARGEST_ARITY = 20
_ALIVE: WeakSet[UserFunction] = WeakSet()
VALUES_ALONE = ("none", "sampled", "interpreted")


@dataclass(frozen=True, eq=False)
class UserFunction:
    """A function at an address, which is valid as long as this object lives; built by `compile_function`."""

    name: str
    arguments: int
    parameters: tuple[float, ...]
    outputs: int
    address: int
    compiled: bool
    cache_hit: bool
    python: Callable[..., Any] = field(repr=False)
    _alive: Any = field(repr=False)  # owns the code at the address
    plain: bool = False  # values alone, without derivatives
    runner: Runner | None = field(default=None, repr=False)  # where the interpreter runs it
    derivatives: str = "exact"  # as stated to `compile_function`

    def __post_init__(self) -> None:
        _ALIVE.add(self)

    def __reduce__(self) -> Any:
        """A copy, also one in another process, is compiled anew: addresses cannot be copied."""
        stated = portable(self.python), self.arguments, self.parameters, self.outputs, self.name, self.derivatives
        return compile_function, stated

    @property
    def block(self) -> int:
        """How many numbers one output fills: v, d, c, e and the gradient, or v alone."""
        return 1 if self.plain else 4 + self.arguments

    def evaluate(
        self,
        arguments: Sequence[float],
        rates: Sequence[float] | None = None,
        parameters: Sequence[float] | None = None,
    ) -> tuple[int, np.ndarray]:
        """Status and results, one row per output; for looking at a function from Python, not for loops."""
        behind = self.parameters if parameters is None else parameters
        z = np.array([*arguments, *behind], dtype=float)
        zdot = np.array(np.ones(self.arguments) if rates is None else rates, dtype=float)
        if z.size != self.arguments + len(self.parameters) or zdot.size != self.arguments:
            raise ModelError(
                f"Function '{self.name}' takes {self.arguments} arguments, as many rates and {len(self.parameters)} "
                f"parameters, and was given {len(arguments)}, {zdot.size} and {len(behind)}."
            )
        out = np.zeros((self.outputs, self.block))
        if COMPILED:
            return _PROTOTYPE(self.address)(z.ctypes.data, zdot.ctypes.data, out.ctypes.data), out
        return call_address(self.address, z, zdot, out.reshape(-1)), out

    def along(self, places: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Status and results [places, outputs, block] of a function of one argument, whose rate is 1."""
        z = np.column_stack([places, *(np.full(places.size, parameter) for parameter in self.parameters)])
        rate, out, status = np.ones(1), np.zeros((places.size, self.outputs, self.block)), np.zeros(places.size, int)
        if not COMPILED:
            for k in range(places.size):
                status[k] = call_address(self.address, z[k], rate, out[k].reshape(-1))
            return status, out
        call, at, to, by = _PROTOTYPE(self.address), z.ctypes.data, out.ctypes.data, rate.ctypes.data
        for k in range(places.size):
            status[k] = call(at + k * z.strides[0], by, to + k * out.strides[0])
        return status, out

    def raised(self, z: Sequence[float]) -> BaseException | None:
        """What the function raises at z (arguments and parameters), with the lines of the user's file behind it."""
        take_interrupt()
        kept: BaseException | None = getattr(self.runner, "raised", None)
        if kept is not None:  # what has a memory may not raise again
            return kept
        try:
            as_outputs(self.python(*map(float, z)), self.outputs)
        except Exception as error:
            return error
        return None

    def failure(self, z: Sequence[float]) -> str:
        """One sentence on what goes wrong at z (arguments and parameters), for the message of an error."""
        place = ", ".join(f"{x:.6g}" for x in z)
        raised = self.raised(z)
        if raised is not None:
            return f"Function '{self.name}' raises {type(raised).__name__} at ({place}): {raised}."
        values = [float(y) for y in as_outputs(self.python(*map(float, z)), self.outputs)]
        if all(math.isfinite(y) for y in values):
            return f"Function '{self.name}' has no finite derivative at ({place})."
        return f"Function '{self.name}' is not finite at ({place}): its value is {', '.join(map(str, values))}."


def compile_function(
    function: Callable[..., Any],
    arguments: int,
    parameters: Sequence[float] = (),
    outputs: int = 1,
    name: str | None = None,
    derivatives: str = "exact",
) -> UserFunction:
    """Compile `function(*arguments, *parameters)` with its derivatives, or fetch it from the cache.

    The function returns a number, or a tuple of `outputs` numbers. It may branch, loop, raise and call functions of
    its own; what it names (constants, helpers) is taken as it stands now. Only arguments are differentiated by.
    `derivatives="differences"` differentiates values numerically: for functions that accept floats only. It is
    inexact and runs in the interpreter. `derivatives="none"` gives values alone, which stand one after the other; so
    do "sampled", without a warning where it is not compiled, and "interpreted", which never is.
    """
    name = str(name or getattr(function, "__name__", type(function).__name__))
    _check(function, arguments, parameters, outputs, name, derivatives)
    counts = (arguments, len(parameters), outputs)
    stated = (name, arguments, tuple(map(float, parameters)), outputs)
    plain = derivatives in VALUES_ALONE
    if derivatives == "differences":
        address, alive = _callback(difference_runner(function, *counts), *counts)
        return UserFunction(*stated, address, False, False, function, alive, derivatives=derivatives)
    if COMPILED and derivatives != "interpreted":
        # Late, because most models have no functions of the user's.
        from cardan.numerics.functions.compilation import NotCompilableError, compile_jets

        try:
            native = compile_jets(function, *counts, plain)
            hit = native.cache_hit
            return UserFunction(*stated, native.address, True, hit, function, native, plain, derivatives=derivatives)
        except NotCompilableError as reason:
            if not plain:
                _probe(function, *counts, parameters, name)
            if derivatives == "sampled":
                return _interpreted(function, stated, derivatives)
            warn(
                f"Function '{name}' runs in the Python interpreter, some thousand times slower than compiled: {reason}."
            )
    elif not plain:
        _probe(function, *counts, parameters, name)
    if plain:
        return _interpreted(function, stated, derivatives)
    address, alive = _callback(jet_runner(function, *counts), *counts)
    return UserFunction(*stated, address, False, False, function, alive)


def functions_by_address() -> dict[int, UserFunction]:
    """All functions that are alive, by their addresses."""
    return {function.address: function for function in _ALIVE}


def _interpreted(
    function: Callable[..., Any], stated: tuple[str, int, tuple[float, ...], int], derivatives: str
) -> UserFunction:
    """Values alone, from the interpreter."""
    _, arguments, parameters, outputs = stated
    runner = plain_runner(function, arguments, len(parameters), outputs)
    address, alive = _callback(runner, arguments, len(parameters), outputs)
    return UserFunction(*stated, address, False, False, function, alive, True, runner, derivatives)


if COMPILED:
    call_address: Any = Intrinsic("cardan.numerics.compiled.address_call", "call_address")
else:

    def call_address(address: int, z: np.ndarray, zdot: np.ndarray, out: np.ndarray) -> int:
        """Call the user function at `address`, from a kernel run by the interpreter."""
        return _RUNNERS[int(address)](z, zdot, out)


def _check(
    function: Any, arguments: int, parameters: Sequence[float], outputs: int, name: str, derivatives: str
) -> None:
    if not callable(function):
        raise ModelError(f"'{name}' is not a function but {function!r}; give something that can be called.")
    if derivatives not in ("exact", "differences", *VALUES_ALONE):
        raise ModelError(
            f'Function \'{name}\' has derivatives={derivatives!r}; the choices are "exact", "differences", "none".'
        )
    if arguments < 0 or (arguments > LARGEST_ARITY and derivatives not in VALUES_ALONE):
        raise ModelError(f"Function '{name}' has {arguments} arguments; between 0 and {LARGEST_ARITY} are possible.")
    if outputs < 1:
        raise ModelError(f"Function '{name}' has {outputs} outputs; it needs one at least.")
    for k, parameter in enumerate(parameters):
        if not isinstance(parameter, (int, float, np.number)) or not math.isfinite(parameter):
            raise ModelError(f"Parameter {k + 1} of function '{name}' is {parameter!r}; give a finite number.")
    try:
        inspect.signature(function).bind(*range(arguments + len(parameters)))
    except TypeError as mismatch:
        raise ModelError(
            f"Function '{name}' cannot be called with {arguments} arguments and {len(parameters)} parameters: "
            f"{mismatch}."
        ) from None
    except ValueError:  # written in C, without a signature
        pass


def value_and_slopes(address: int, x: float, size: int) -> tuple[int, list[float]]:
    """Status and results of the function of one argument at an address, whose rate is one; for looking at it."""
    z, zdot, out = np.array([x]), np.ones(1), np.zeros(size)
    if COMPILED:
        return _PROTOTYPE(address)(z.ctypes.data, zdot.ctypes.data, out.ctypes.data), out.tolist()
    return call_address(address, z, zdot, out), out.tolist()


def _probe(function: Any, arguments: int, parameters: int, outputs: int, values: Sequence[float], name: str) -> None:
    """Reject a function that does not work on jets at all; errors of numbers (a domain) are ignored."""
    jets = [variable(0.5, 1.0, i, arguments) for i in range(arguments)]
    try:
        as_outputs(on_jets(function)(*jets, *values), outputs)
    except Exception as found:
        if not isinstance(found, (TypeError, AttributeError, NameError, NotImplementedError, *_numba_errors())):
            return  # a domain, a range check of the user's: not a matter of vocabulary
        raise ModelError(
            f"Function '{name}' cannot be differentiated: {found}; write it with arithmetic, comparisons and the "
            "elementary functions of math and numpy; a table of numbers is a Spline, and a constraint may state "
            'derivatives="differences".'
        ) from found


def _numba_errors() -> tuple[type[Exception], ...]:
    """What Numba raises, if it has been imported: a function that the user has compiled can raise it."""
    errors = sys.modules.get("numba.core.errors")
    return () if errors is None else (errors.NumbaError,)


_PROTOTYPE = ctypes.CFUNCTYPE(ctypes.c_int32, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_void_p)
_RUNNERS: WeakValueDictionary[int, Any] = WeakValueDictionary()  # each lives as long as its callback


def _callback(runner: Runner, arguments: int, parameters: int, outputs: int) -> tuple[int, Any]:
    """The address of a C function that calls the interpreter, and the object that must live as long."""
    size = outputs * (4 + arguments)
    places: tuple[int, int, int] = (0, 0, 0)
    views: tuple[Any, Any, Any] = ((), (), ())

    def entry(z: int, zdot: int, out: int) -> int:
        nonlocal places, views
        if places != (z, zdot, out):  # mostly they are where they were
            views = _numbers(z, arguments + parameters), _numbers(zdot, arguments), _numbers(out, size)
            places = z, zdot, out
        return runner(*views)

    callback = _PROTOTYPE(entry)
    address = ctypes.cast(callback, ctypes.c_void_p).value
    assert address is not None
    _RUNNERS[address] = runner
    return address, callback


def _numbers(address: int, count: int) -> Any:
    return (ctypes.c_double * count).from_address(address) if count else ()
