# SPDX-License-Identifier: GPL-3.0-or-later
"""run.fields (manual: formats/fields.md)."""
from __future__ import annotations

import os
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Optional, Sequence

import numpy as np

from . import optional
from .container import Container, described_by, require
from .errors import FileError
from .table import Table, table_of
from .tessera_file import File
from .tiles_file import Tiles

Vector = Optional[np.ndarray]


@dataclass(frozen=True, eq=False)
class OpeningFlow:
    """An opening in a run.

    kind: its condition. flow_rate: m3/s, positive out of the fluid.
    mean_pressure: Pa, gauge. force: (3,), N, world, of the fluid on what is
    beyond it; None in files of version 0.1.
    """

    id: int
    name: str
    kind: str
    flow_rate: float
    mean_pressure: float
    force: Vector


@dataclass(frozen=True, eq=False)
class WallForce:
    """Force (3,), N, and torque (3,), N.m, of the fluid on a wall by
    momentum exchange; world axes."""

    name: str
    force: np.ndarray
    torque: np.ndarray


@dataclass(frozen=True, eq=False)
class CycleMeans:
    """Means over the recorded cycle of a pulsatile run; world axes.

    samples: how many, over the steps (first_step, last_step]. pressure:
    (n,), Pa, gauge. velocity: (n, 3), m/s. wall_node: u8 (w,), nodes with a
    link to a wall, as indices of the n nodes. wall_traction: (w, 3), Pa,
    mean tangential traction on the wall. wall_shear: (w,), Pa, mean of its
    magnitude (TAWSS of the node).
    """

    samples: int
    first_step: int
    last_step: int
    pressure: np.ndarray
    velocity: np.ndarray
    wall_node: np.ndarray
    wall_traction: np.ndarray
    wall_shear: np.ndarray


class Fields(File):
    """The flow at the n nodes of a .tiles file that are not solid.

    step, time (s), time_step (s), density (kg/m3), viscosity (m2/s,
    kinematic, the least), fluid_model, tau, mach_max, converged,
    mass_residual, variant; openings: list of OpeningFlow; walls: list of
    WallForce. Arrays are SI along the world's axes and are read when they
    are first asked for.

    tiles: the .tiles file, by path or read before; None: that of the name
    that the fields record, in their folder. It is checked by its hash.
    """

    def __init__(self, path: str | os.PathLike[str],
                 tiles: str | os.PathLike[str] | Tiles | None = None,
                 verify: bool = True) -> None:
        super().__init__(Container(path, "fields", 1, verify=verify))
        self._given, self._checked = tiles, verify
        meta = self.meta
        with described_by(self.path, "section meta"):
            self.nodes = int(meta["nodes"])
            self.tiles_name = os.path.basename(str(meta["tiles_name"]))
            self.tiles_hash = str(meta["tiles_hash"])
            self.step = int(meta["step"])
            self.time = float(meta["time_s"])
            self.time_step = float(meta["time_step_s"])
            self.density = float(meta["density_kg_m3"])
            self.viscosity = float(meta["kinematic_viscosity_m2_s"])
            self.fluid_model = str(meta.get("fluid_model", "newtonian"))
            self.tau = float(meta["tau"])
            self.mach_max = float(meta["mach_max"])
            self.converged = bool(meta["converged"])
            self.mass_residual = float(meta["mass_residual"])
            self.variant = str(meta["variant"])
            self._reference = float(meta["pressure_reference_pa"])
            self._pressure_factor = float(meta["pressure_factor_pa"])
            self._velocity_factor = float(meta["velocity_factor_m_s"])
            self._stress_factor = float(meta["stress_factor_pa"])
            self._columns = [str(name) for name in meta["monitor_columns"]]
            self.openings = [
                OpeningFlow(int(each["id"]), str(each["name"]),
                            str(each["kind"]), float(each["flow_rate_m3_s"]),
                            float(each["mean_pressure_pa"]),
                            _vector(each.get("force_n")))
                for each in meta["openings"]]
            self.walls = [WallForce(str(each["name"]),
                                    np.array(each["force_n"], float),
                                    np.array(each["torque_n_m"], float))
                          for each in meta.get("walls", [])]

    @cached_property
    def geometry(self) -> Tiles:
        """The .tiles file of these fields; FileError if it is not there or
        is another one."""
        if isinstance(self._given, Tiles):
            tiles = self._given
        else:
            name = self._given or os.path.join(
                os.path.dirname(self.path) or ".", self.tiles_name)
            if self._given is None and not os.path.exists(name):
                raise FileError(f"{self.path} belongs to {self.tiles_name}, "
                                "which is not in its folder; name it: "
                                "read(path, tiles=...)")
            tiles = Tiles(name, self._checked)
        if tiles.hash != self.tiles_hash:
            raise FileError(f"{self.path} belongs to another geometry than "
                            f"{tiles.path}: the hashes differ")
        require(tiles.fluid_nodes == self.nodes, self.path,
                "has another number of nodes than its tiles")
        return tiles

    @property
    def frame(self) -> Any:
        """The Frame of the geometry."""
        return self.geometry.frame

    @property
    def node_index(self) -> np.ndarray:
        """i4 (n, 3): lattice position of each node."""
        return self.geometry.node_index

    @property
    def positions(self) -> np.ndarray:
        """(n, 3), m, world."""
        return self.geometry.positions

    @cached_property
    def pressure(self) -> np.ndarray:
        """(n,), Pa, gauge."""
        return self._pressure_pa(
            self._container.array("pressure", "f4", self.nodes),
            self._reference)

    def _pressure_pa(self, stored: np.ndarray, reference: float
                     ) -> np.ndarray:
        return reference + stored.astype(float) * self._pressure_factor

    @cached_property
    def velocity(self) -> np.ndarray:
        """(n, 3), m/s, world axes."""
        return self._velocity_m_s("velocity")

    def _velocity_m_s(self, section: str) -> np.ndarray:
        stored = self._container.array(section, "f4", self.nodes, (3,))
        return self.frame.vectors_to_world(
            stored.astype(float) * self._velocity_factor)

    @property
    def speed(self) -> np.ndarray:
        """(n,), m/s."""
        return np.sqrt(np.einsum("ij,ij->i", self.velocity, self.velocity))

    @cached_property
    def stress(self) -> np.ndarray:
        """(n, 6), Pa: deviatoric stress xx yy zz xy xz yz, world axes."""
        stored = self._container.array("stress", "f4", self.nodes, (6,))
        return self.frame.tensors_to_world(
            stored.astype(float) * self._stress_factor)

    @cached_property
    def means(self) -> Optional[CycleMeans]:
        """Means over the recorded cycle; None where the run has none."""
        if "cycle_means" not in self.meta:
            return None
        with described_by(self.path, "section meta"):
            meta = self.meta["cycle_means"]
            samples, first, last, count = (
                int(meta[key]) for key in ("samples", "first_step",
                                           "last_step", "wall_nodes"))
            reference = float(meta["pressure_reference_pa"])
        node = self._container.array("wall_node", "u8", count)
        require(count == 0 or bool(node.max() < self.nodes), self.path,
                "section wall_node names a node that does not exist")
        traction = self._container.array("wall_traction", "f4", count, (3,))
        shear = self._container.array("wall_shear", "f4", count)
        pressure = self._container.array("mean_pressure", "f4", self.nodes)
        return CycleMeans(
            samples, first, last, self._pressure_pa(pressure, reference),
            self._velocity_m_s("mean_velocity"), node,
            self.frame.vectors_to_world(
                traction.astype(float) * self._stress_factor),
            shear.astype(float) * self._stress_factor)

    @cached_property
    def monitor(self) -> Table:
        """The monitor of the run: step, time, flow rate and pressure of
        each opening, forces; names and units as in run.monitor.csv."""
        rows = self._container.array("monitor", "f8")
        columns = len(self._columns)
        require(rows.size % columns == 0 if columns else rows.size == 0,
                self.path, "section monitor is not a whole number of rows")
        by_column = rows.reshape(-1, columns or 1).T
        return Table(dict(zip(self._columns, by_column)))

    @property
    def tables(self) -> dict[str, Table]:
        """"openings", "walls" and "monitor" as tables, SI."""
        return {"openings": table_of(
            {"id": each.id, "name": each.name, "kind": each.kind,
             "flow_rate[m3/s]": each.flow_rate,
             "mean_pressure[Pa]": each.mean_pressure}
            for each in self.openings),
                "walls": table_of(
            {"label": label, "name": each.name, "force[N]": each.force,
             "torque[N.m]": each.torque}
            for label, each in enumerate(self.walls)),
                "monitor": self.monitor}

    @property
    def case_text(self) -> str:
        """The case file as it was read."""
        return self._container.text("case").decode("utf-8", "replace")

    def to_grid(self, values: str | np.ndarray = "pressure",
                region: Optional[Sequence[slice]] = None, **options: Any
                ) -> np.ndarray:
        """Dense array [x, y, z] with NaN outside of the fluid.

        values: "pressure", "velocity", "speed", "stress", or (n,) or (n, m)
        numbers in the order of the nodes; region and options: as
        Geometry.to_grid.
        """
        if isinstance(values, str):
            if values not in ("pressure", "velocity", "speed", "stress"):
                raise ValueError(f"no field {values!r}; pressure, velocity, "
                                 "speed, stress")
            values = np.asarray(getattr(self, values))
        return self.geometry.to_grid(values, region, **options)

    def to_vtk(self, length_unit: str = "m") -> Any:
        """As Geometry.to_vtk, with cell data velocity (m/s), pressure (Pa)
        and stress (Pa); needs vtk. length_unit="mm" overlays a scan."""
        from . import vtk_data
        return vtk_data.cells(self.geometry, {
            "velocity": self.velocity, "pressure": self.pressure,
            "stress": self.stress}, length_unit)

    def to_pyvista(self, length_unit: str = "m") -> Any:
        """The same as pyvista.UnstructuredGrid; needs pyvista."""
        pyvista = optional.module("pyvista")
        return pyvista.wrap(self.to_vtk(length_unit))

    def __repr__(self) -> str:
        return (f"<Fields {self.path}: {self.nodes} nodes, step {self.step}, "
                f"{self.time:.4g} s, {self.variant}>")


def _vector(value: Any) -> Vector:
    return None if value is None else np.array(value, float)
