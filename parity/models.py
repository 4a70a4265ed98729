"""The models to compare: those of this project and of PyPI packages."""

from __future__ import annotations

import pathlib
from collections.abc import Iterator

ROOT = pathlib.Path(__file__).resolve().parent.parent


def own() -> Iterator[tuple[str, pathlib.Path]]:
    """Models of this project."""
    for path in sorted((ROOT / "models").rglob("*.xml")):
        yield f"saltus/{path.relative_to(ROOT / 'models')}", path


def gymnasium() -> Iterator[tuple[str, pathlib.Path]]:
    """The assets of gymnasium's MuJoCo environments."""
    import gymnasium

    folder = pathlib.Path(gymnasium.__file__).parent / "envs" / "mujoco" / "assets"
    for path in sorted(folder.glob("*.xml")):
        yield f"gymnasium/{path.name}", path


def dm_control_suite() -> Iterator[tuple[str, pathlib.Path]]:
    """The models of the dm_control suite."""
    import importlib.util

    spec = importlib.util.find_spec("dm_control")
    folder = pathlib.Path(spec.submodule_search_locations[0]) / "suite"
    for path in sorted(folder.glob("*.xml")):
        yield f"dm_control/{path.name}", path


def package(name: str) -> Iterator[tuple[str, pathlib.Path]]:
    """All complete models of a package, i.e. files with a worldbody."""
    import importlib.util

    spec = importlib.util.find_spec(name)
    folder = pathlib.Path(spec.submodule_search_locations[0])
    for path in sorted(folder.rglob("*.xml")):
        if "test" not in str(path.relative_to(folder)) and "<worldbody" in path.read_text(errors="ignore"):
            yield f"{name}/{path.relative_to(folder)}", path


def with_robots() -> Iterator[tuple[str, pathlib.Path]]:
    """The models of this project and of the packages."""
    yield from own()
    for name in ("gymnasium", "dm_control", "gymnasium_robotics", "robosuite_models"):
        yield from package(name)


def everything() -> Iterator[tuple[str, pathlib.Path]]:
    """All models."""
    yield from own()
    yield from gymnasium()
    yield from dm_control_suite()


# The centres of mass of its first links lie on their own joint axes: their translational weights are zero (2e-32 in MuJoCo), and
# regularizers of their contacts are bounded below by 1e-15. So forces of contacts between these links and the palm are
# round-off divided by 1e-15 in both engines.
WITHOUT_WEIGHT = "saltus/idto/allegro_hand.xml"


def with_weights() -> Iterator[tuple[str, pathlib.Path]]:
    """All models with well-determined contact forces; prints which one is not compared."""
    for name, path in everything():
        if name == WITHOUT_WEIGHT:
            print(f"{name}: not compared, since its contact forces are dominated by round-off")
        else:
            yield name, path
