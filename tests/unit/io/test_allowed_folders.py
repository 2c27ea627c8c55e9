"""URDF and MJCF files read nothing outside their folder unless it is allowed, and no devices."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from cardan import ModelError, from_mjcf, from_urdf
from cardan.io.surface import read_surface

MACHINES = Path(__file__).parents[2] / "data" / "machines"

URDF = """<robot name="arm"><link name="base"/>
<link name="rod"><inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1"/></inertial>
<visual><geometry><mesh filename="{name}"/></geometry></visual></link>
<joint name="pin" type="continuous"><parent link="base"/><child link="rod"/></joint></robot>
"""
MJCF = """<mujoco><compiler {compiler}/><asset><mesh name="m" file="{name}"/></asset><worldbody>
<body name="rod"><joint/>
<inertial pos="0 0 0" mass="1" diaginertia="1 1 1"/><geom type="mesh" mesh="m"/></body></worldbody></mujoco>
"""
INCLUDE = """<mujoco><include file="{name}"/>
<worldbody><body name="rod"><joint/><geom size="1"/></body></worldbody></mujoco>
"""
OUTSIDE = "is outside the folder of the file that refers to it"


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """robots/arm holds the file; secret/ is beside robots/, with a mesh and a part of a model in it."""
    for folder in ("robots/arm", "secret"):
        (tmp_path / folder).mkdir(parents=True)
    wedge = (MACHINES / "meshes" / "wedge.stl").read_bytes()
    for name in ("robots/arm/own.stl", "secret/mesh.stl"):
        (tmp_path / name).write_bytes(wedge)
    (tmp_path / "secret" / "part.xml").write_text("<mujoco><option gravity='0 0 -1'/></mujoco>")
    (tmp_path / "robots" / "arm" / "link.stl").symlink_to(tmp_path / "secret" / "mesh.stl")
    (tmp_path / "robots" / "arm" / "away").symlink_to(tmp_path / "secret")
    return tmp_path / "robots" / "arm"


def ways_out(home: Path) -> list[str]:
    secret = home.parents[1] / "secret" / "mesh.stl"
    return [
        str(secret),
        "../../secret/mesh.stl",
        "./x/../../../secret/mesh.stl",
        f"file://{secret}",
        "file://../../secret/mesh.stl",
        f"file:///{'..%2F' * 3}{str(secret)[1:]}",
        "link.stl",
        "away/mesh.stl",
        "/dev/zero",
        "file:///dev/urandom",
    ]


def test_meshes_of_urdf(home: Path) -> None:
    path = home / "arm.urdf"
    path.write_text(URDF.format(name="own.stl"))
    assert from_urdf(path, strict=True).solids["rod"]
    for name in ways_out(home):
        path.write_text(URDF.format(name=name))
        with pytest.raises(ModelError, match=OUTSIDE):
            from_urdf(path, strict=True)
        with pytest.warns(match=OUTSIDE):
            assert "rod" not in from_urdf(path).solids
    for name in ways_out(home)[:8]:
        path.write_text(URDF.format(name=name))
        assert from_urdf(path, strict=True, allow=[home.parents[1] / "secret"]).solids["rod"]


def test_meshes_and_includes_of_mjcf(home: Path) -> None:
    path = home / "arm.xml"
    for compiler, name in [("", "own.stl"), ('meshdir="."', "own.stl")]:
        path.write_text(MJCF.format(compiler=compiler, name=name))
        assert from_mjcf(path, strict=True).solids["rod"]
    cases = [("", name) for name in ways_out(home)] + [
        ('meshdir="../../secret"', "mesh.stl"),
        (f'meshdir="{home.parents[1]}/secret"', "mesh.stl"),
        ('meshdir="away"', "mesh.stl"),
    ]
    for compiler, name in cases:
        path.write_text(MJCF.format(compiler=compiler, name=name))
        with pytest.raises(ModelError, match=OUTSIDE):
            from_mjcf(path, strict=True)
    part = home.parents[1] / "secret" / "part.xml"
    for name in (str(part), "../../secret/part.xml", "away/part.xml", "/dev/zero", "/etc/passwd"):
        path.write_text(INCLUDE.format(name=name))
        with pytest.raises(ModelError, match=rf"arm.xml:1: <include>: .*{OUTSIDE}"):
            from_mjcf(path)
    path.write_text(INCLUDE.format(name="../../secret/part.xml"))
    assert from_mjcf(path, allow=home.parents[1]).gravity[2] == -1.0


def test_packages(home: Path) -> None:
    """A package is what has a package.xml, or what the caller names; its files lie in it."""
    path, outer = home / "arm.urdf", home.parents[1]
    for name in (
        f"package://{outer.name}/secret/mesh.stl",
        "package://secret/mesh.stl",
        "package://robots/arm/own.stl",
    ):
        path.write_text(URDF.format(name=name))
        with pytest.raises(ModelError, match="with a package.xml"):
            from_urdf(path, strict=True)
    path.write_text(URDF.format(name="package://arm/own.stl"))
    assert from_urdf(path, strict=True).solids["rod"]
    (home.parent / "package.xml").write_text("<package/>")
    path.write_text(URDF.format(name="package://robots/arm/own.stl"))
    assert from_urdf(path, strict=True).solids["rod"]
    for name in (
        "package://robots/../secret/mesh.stl",
        "package://robots//etc/passwd",
        "package://robots/arm/link.stl",
    ):
        for options in ({}, {"packages": outer}, {"packages": {"robots": outer / "robots"}}):
            path.write_text(URDF.format(name=name))
            with pytest.raises(ModelError, match=OUTSIDE):
                from_urdf(path, strict=True, **options)
    for name in ("package://..%2Fsecret/mesh.stl", "package://../secret/mesh.stl", "package:///etc/passwd"):
        path.write_text(URDF.format(name=name))
        with pytest.raises(ModelError, match="not the name of a package|with a package.xml|" + OUTSIDE):
            from_urdf(path, strict=True, packages=outer / "robots")


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no pipes")
def test_pipes_and_devices_are_no_files(home: Path) -> None:
    os.mkfifo(home / "pipe.stl")
    os.mkfifo(home / "pipe.xml")
    with pytest.raises(ModelError, match="not a regular file"):
        read_surface(home / "pipe.stl")
    for read in (from_urdf, from_mjcf):
        for name in (home / "pipe.xml", "/dev/zero"):
            with pytest.raises(ModelError, match="not a regular file"):
                read(name)


@pytest.mark.parametrize("allow", [3, [3], None, {"a": 1}])
def test_what_is_allowed_must_be_folders(home: Path, allow: object) -> None:
    (home / "arm.urdf").write_text(URDF.format(name="own.stl"))
    with pytest.raises(ModelError, match="allow must be a folder"):
        from_urdf(home / "arm.urdf", allow=allow)


def test_a_foreign_mesh_reads_nothing_else(home: Path) -> None:
    """glTF names its buffers by path; they are not read, wherever they are."""
    pytest.importorskip("trimesh")
    (home / "a.gltf").write_text(
        '{"asset": {"version": "2.0"}, "buffers": [{"uri": "../../secret/mesh.stl", "byteLength": 84}]}'
    )
    with pytest.raises(ModelError, match="cannot be read|no triangles"):
        read_surface(home / "a.gltf")
    (home / "a.dae").write_text('<!DOCTYPE a [<!ENTITY b SYSTEM "file:///etc/passwd">]><COLLADA>&b;</COLLADA>')
    with pytest.raises(ModelError, match="document type"):
        read_surface(home / "a.dae")


@pytest.mark.parametrize("encoding", ["utf-7", "utf-32", "shift_jis", "nonsense", "idna", "punycode", "rot13", "hex"])
def test_encodings_that_expat_does_not_have(home: Path, encoding: str) -> None:
    for text, read in ((URDF.format(name="own.stl"), from_urdf), (MJCF.format(compiler="", name="own.stl"), from_mjcf)):
        path = home / "arm.xml"
        path.write_bytes(f'<?xml version="1.0" encoding="{encoding}"?>\n{text}'.encode())
        with pytest.raises(ModelError, match=r"arm.xml:1: .*(UTF-8|encoding)"):
            read(path)
    for fine in ("utf-8", "utf-16", "iso-8859-1", "cp1252"):
        path.write_bytes(f'<?xml version="1.0" encoding="{fine}"?>\n{text}'.encode(fine))
        assert from_mjcf(path).name == "arm"
