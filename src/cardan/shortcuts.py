"""Convenience methods of results: saving, drawing, plotting, reporting and post-processing.

Results are data. The methods of these base classes hand a result to the packages that write, draw or evaluate it:
`run.plot("slider.x")` is `cardan.view.plot.plot(run, "slider.x")`. This is the only module that imports packages above
its users; the import linter lists it as the one exception. The imports are inside the methods, so a result that is not
drawn loads no drawing code.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, overload

import numpy as np
from numpy.typing import ArrayLike

from cardan.deprecation import RenamedAttribute

if TYPE_CHECKING:
    import pandas
    import xarray
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from cardan.model.body import RigidBody
    from cardan.model.element import Constraint
    from cardan.model.force import Force
    from cardan.model.marker import Marker
    from cardan.model.measure import Readable
    from cardan.postprocess.bearing_loads import Bearings
    from cardan.postprocess.free_body import FreeBody
    from cardan.postprocess.instant_centers import InstantCenters
    from cardan.postprocess.orders import OrderSpectrum
    from cardan.postprocess.peak import Peak
    from cardan.postprocess.polygon import Polygon
    from cardan.postprocess.signals import Rainflow, Spectrum
    from cardan.results.trajectory import Trajectory
    from cardan.view.curves import Plottable
    from cardan.view.inline import Inline
    from cardan.view.web.live import Live


def notebook_html(shown: object) -> str:
    """The HTML that a notebook shows for a model or a result."""
    from cardan.view.notebook import notebook

    return notebook(shown)


def live_study(title: str) -> Callable[[Any], None]:
    """The live page of a running study."""
    from cardan.view.figures.study_live import live

    return live(title)


def dissipated_by(run: Trajectory, element: object) -> np.ndarray:
    """The energy dissipated by one force or impact."""
    from cardan.postprocess.dissipation import dissipated_by as compute

    return compute(run, element)


def one_page(result: object) -> Figure:
    """The figure with all curves of a result; see `cardan.view.one_page`."""
    from cardan.view.one_page import one_page as figure

    return figure(result)


class Savable:
    """A result that can be saved, shown in a browser and displayed in a notebook."""

    def save(self, path: str | Path, overwrite: bool = True, **options: Any) -> None:
        """Write a file: .nc holds the whole result, .csv, .parquet and .mat a table; see `cardan.storage`.

        A page, .html, solves with `solve=True`: bodies can be dragged, and `parameters` changed, without Python; see
        `cardan.solving.page`.
        """
        if options.pop("solve", False):
            from cardan.output_path import free
            from cardan.solving.page import solving_page

            free(Path(path), overwrite)
            solving_page(self, path, **options)
            return
        from cardan.storage.result_files import save

        save(self, path, overwrite, **options)

    def view(self, *, live: bool | None = None, path: str | Path | None = None, **options: Any) -> Path | Inline | Live:
        """Show the result in a browser; see `cardan.view.web.page.view`."""
        from cardan.view.web.page import view

        return view(self, live=live, path=path, **options)

    def _repr_html_(self) -> str:
        return notebook_html(self)


class Drawable:
    """A mechanism or diagram that is drawn into axes."""

    def draw(self, ax: Axes | None = None, **options: Any) -> Axes:
        """Draw a picture (needs matplotlib) and return the axes; see `cardan.view.draw`."""
        from cardan.view.draw import draw

        axes: Axes = draw(self, ax, **options)
        return axes


class Diagram:
    """A diagram of several panels, of which the first can be drawn into axes."""

    @overload
    def draw(self, ax: None = None, **options: Any) -> Figure: ...
    @overload
    def draw(self, ax: Axes, **options: Any) -> Axes: ...
    def draw(self, ax: Axes | None = None, **options: Any) -> Figure | Axes:
        """Draw a figure with all panels (needs matplotlib), or one panel into `ax`, and return it; see
        `cardan.view.draw`."""
        from cardan.view.draw import draw

        found: Figure | Axes = draw(self, ax, **options)
        return found


class Pictured:
    """A model or result whose mechanism can be written as a picture."""

    def picture(self, path: str | Path, **options: Any) -> Path:
        """Write the mechanism as .png, .svg or .pdf, in space shaded solids; see `cardan.view.picture.picture`."""
        from cardan.view.picture import picture

        return picture(self, path, **options)


class InstantShortcuts(ABC):
    """Free bodies, polygons and instant centers at one time: `at` in a motion; a snapshot has one time only."""

    @abstractmethod
    def instant(self, at: float | None = None) -> Trajectory:
        """The result at one time."""

    def free_body(self, body: RigidBody | str, at: float | None = None) -> FreeBody:
        """All forces and torques on a body, by name, in global axes, and their sum, which is zero.

        >>> from cardan import inverse_dynamics
        >>> from cardan.planar import Body, Driver, Model, Ramp, Revolute
        >>> model = Model("arm", gravity=(0, -9.81))
        >>> arm = model.add(Body(mass=2.0, inertia=0.1, center=(0.5, 0)), name="arm")
        >>> hinge = model.add(Revolute(model.ground.at(), arm.at()), name="hinge")
        >>> motor = model.add(Driver(hinge.angle, Ramp(2.0)), name="motor")
        >>> cut = inverse_dynamics(model, [0.0, 0.1]).free_body(arm, at=0.0)
        >>> cut["hinge"].force.round(9).tolist(), round(float(cut["motor"].torque), 9), cut.closed
        ([-4.0, 19.62], 9.81, True)
        """
        from cardan.postprocess.free_body import free_body

        return free_body(self.instant(at), body)

    def velocity_polygon(self, at: float | None = None) -> Polygon:
        """The velocities of all joints and named points of a planar mechanism; see `cardan.postprocess.polygon`."""
        from cardan.postprocess.polygon import velocity_polygon

        return velocity_polygon(self.instant(at))

    def acceleration_polygon(self, at: float | None = None) -> Polygon:
        """The accelerations of the same points: normal, tangential, sliding and Coriolis components."""
        from cardan.postprocess.polygon import acceleration_polygon

        return acceleration_polygon(self.instant(at))

    def instant_centers(self, at: float | None = None) -> InstantCenters:
        """The instant centers of all pairs of bodies of a planar mechanism."""
        from cardan.postprocess.instant_centers import instant_centers

        return instant_centers(self.instant(at))

    instant_centres = RenamedAttribute("instant_centers")


class MotionShortcuts(InstantShortcuts, Pictured, Savable):
    """Plots, animations, reports and extremes of a motion."""

    @overload
    def plot(
        self,
        what: str | Readable | RigidBody | Marker,
        /,
        *,
        against: Plottable | None = None,
        as_path: bool = False,
        quantity: str = "value",
        runs: Sequence[Trajectory] = (),
        labels: Sequence[str] | None = None,
        ax: Axes | None = None,
    ) -> Axes: ...
    @overload
    def plot(
        self,
        *what: Plottable,
        against: Plottable | None = None,
        as_path: bool = False,
        quantity: str = "value",
        runs: Sequence[Trajectory] = (),
        labels: Sequence[str] | None = None,
        ax: Axes | np.ndarray | None = None,
    ) -> Axes | np.ndarray: ...
    def plot(self, *what: Plottable, **options: Any) -> Axes | np.ndarray:
        """Curves over time, or over the quantity `against`; see `cardan.view.plot.plot`."""
        from cardan.view.plot import plot

        return plot(self, *what, **options)

    def animate(self, path: str | Path, **options: Any) -> Path:
        """An animation as GIF or MP4; see `cardan.view.animate.animate`."""
        from cardan.view.animate import animate

        return animate(self, path, **options)

    def report(self, path: str | Path, **options: Any) -> Path:
        """A report on this result, .html or .pdf; see `cardan.view.report`."""
        from cardan.view.report import report

        return report(self, path, **options)

    def to_pandas(self) -> pandas.DataFrame:
        """All columns as a data frame (needs pandas) over time; see `cardan.table`."""
        return self.table().to_pandas()  # type: ignore[attr-defined]

    def to_xarray(self) -> xarray.Dataset:
        """A labeled data set (needs xarray); see `cardan.storage.dataset.dataset`."""
        from cardan.storage.dataset import dataset

        return dataset(self)  # type: ignore[arg-type]

    def peak(self, what: str | Constraint | Force, of: str = "force") -> Peak:
        """The time at which the load of a joint, driver or force, or a column, is largest; see
        `cardan.postprocess.peak`."""
        from cardan.postprocess.peak import peak

        return peak(self, what, of)  # type: ignore[arg-type]

    def bearings(self, *joints: Constraint | str) -> Bearings:
        """The loads of joints over the run: maximum, mean, root mean square; see
        `cardan.postprocess.bearing_loads`."""
        from cardan.postprocess.bearing_loads import bearings

        return bearings(self, *joints)  # type: ignore[arg-type]

    def spectrum(self, column: str, window: str = "hann", segments: int = 1) -> Spectrum:
        """The spectrum of a column over the frequency in Hz; see `cardan.postprocess.signals`."""
        from cardan.postprocess.signals import spectrum

        return spectrum(self, column, window, segments)  # type: ignore[arg-type]

    def orders(self, column: str, rotation: str, turns: int | None = None, window: str = "hann") -> OrderSpectrum:
        """The spectrum of a column over multiples of the speed of a shaft; see `cardan.postprocess.orders`."""
        from cardan.postprocess.orders import orders

        return orders(self, column, rotation, turns, window)  # type: ignore[arg-type]

    def rainflow(self, column: str) -> Rainflow:
        """The load cycles of a column, by rainflow counting; see `cardan.postprocess.signals`."""
        from cardan.postprocess.signals import rainflow

        return rainflow(self, column)  # type: ignore[arg-type]


class LinearShortcuts(Savable):
    """Pictures and the report of a linear model."""

    def bode(
        self,
        frequencies: ArrayLike | None = None,
        ax: Sequence[Axes] | np.ndarray | None = None,
        *,
        hertz: bool = False,
        decibels: bool = False,
    ) -> Sequence[Axes] | np.ndarray:
        """Gain and phase of every output to every input over the frequency (needs matplotlib): in rad/s, or in Hz with
        `hertz`; the gain in SI units, or in dB with `decibels`."""
        from cardan.view.figures.linear import bode

        return bode(self, frequencies, ax, hertz=hertz, decibels=decibels)

    def nyquist(self, frequencies: ArrayLike | None = None, ax: Axes | None = None) -> Axes:
        """The frequency response in the complex plane (needs matplotlib)."""
        from cardan.view.figures.linear import nyquist

        return nyquist(self, frequencies, ax)

    def page(self) -> Figure:
        """One page of pictures: eigenvalues, the slowest oscillating modes, and gains (needs matplotlib)."""
        from cardan.view.figures.linear import linear_page

        return linear_page(self)

    def report(self, path: str | Path, **options: Any) -> Path:
        """A report: a table, a page of pictures, and the energies of the slowest modes, .html or .pdf."""
        from cardan.view.report import report

        return report(self, path, **options)


class ModeShortcuts(Savable):
    """Pictures of modes."""

    def bars(self, mode: int, ax: Axes | None = None) -> Axes:
        """Magnitude and phase of a mode in each coordinate of each body, as bars and dots (needs matplotlib)."""
        from cardan.view.figures.linear import mode_bars

        return mode_bars(self, mode, ax)

    def animate(self, mode: int, path: str | Path, size: float | None = None, **options: Any) -> Path:
        """An animation of one period of a mode (needs matplotlib)."""
        from cardan.view.figures.linear import mode_film

        return mode_film(self, mode, path, size, **options)


class StudyShortcuts:
    """Pictures of a study; see `cardan.view.figures.study`."""

    def plot(self, name: str, **options: Any) -> Axes:
        """The curves of all samples, or numbers over a parameter."""
        from cardan.view.figures.study import curves

        return curves(self, name, **options)

    def surface(self, name: str, x: str = "", y: str = "", **options: Any) -> Axes:
        """A number over two parameters."""
        from cardan.view.figures.study import surface

        return surface(self, name, x, y, **options)

    def parallel(self, *names: str, **options: Any) -> Axes:
        """Every sample as a line across all parameters and numbers."""
        from cardan.view.figures.study import parallel

        return parallel(self, names, **options)

    def tornado(self, name: str, **options: Any) -> Axes:
        """The change of a number with each parameter alone."""
        from cardan.view.figures.study import tornado

        return tornado(self, name, **options)

    def envelope(self, name: str, **options: Any) -> Axes:
        """The band of all curves over time."""
        from cardan.view.figures.study import envelope

        return envelope(self, name, **options)

    def _repr_html_(self) -> str:
        return notebook_html(self)


class SearchShortcuts:
    """The picture of a search."""

    def plot(self, **options: Any) -> Axes:
        """The best value over the number of evaluations."""
        from cardan.view.figures.study import history

        return history(self, **options)


class FrontShortcuts:
    """The picture of a Pareto front."""

    def plot(self, **options: Any) -> Axes:
        """The front in the plane of its objectives."""
        from cardan.view.figures.study import front_page

        return front_page(self, **options)
