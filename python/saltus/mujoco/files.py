"""Models and data as files."""

from __future__ import annotations

import os
import xml.etree.ElementTree as ElementTree

import numpy as np

from saltus.mujoco.data import MjData
from saltus.mujoco.errors import FatalError
from saltus.mujoco.model import MjModel


def mj_saveModel(m: MjModel, filename: str | os.PathLike[str] | None = None, buffer: np.ndarray | None = None) -> None:
    """Writes the model in Saltus' binary format to a file, or into an array of `mj_sizeModel` bytes."""
    if filename is not None:
        m.save(filename)
    elif buffer is not None:
        data = np.frombuffer(m.to_bytes(), dtype=np.uint8)
        if buffer.dtype != np.uint8 or buffer.size < data.size:
            raise TypeError(f"buffer should be an array of at least {data.size} uint8")
        buffer.reshape(-1)[: data.size] = data


def mj_saveLastXML(filename: str | os.PathLike[str], m: MjModel) -> None:
    """Writes a model that was loaded from text as MJCF, without later changes of arrays."""
    text = m._core.to_xml()
    if text is None:
        raise FatalError("mj_saveLastXML: the model was not loaded from XML")
    with open(os.fsdecode(filename), "w", encoding="utf-8") as file:
        file.write(text)


def mj_sizeModel(m: MjModel) -> int:
    """Size of the model in Saltus' binary format, bytes."""
    return len(m.to_bytes())


def _print(fields: dict[str, object], filename: str | os.PathLike[str], float_format: str) -> None:
    with open(os.fsdecode(filename), "w", encoding="utf-8") as file:
        for name, value in fields.items():
            if isinstance(value, np.ndarray) and value.dtype.kind == "f":
                rows = value.reshape(value.shape[0], -1) if value.ndim and value.size else value.reshape(0, 0)
                lines = "".join("  " + " ".join(float_format % x for x in row) + "\n" for row in rows)
                file.write(f"{name}\n{lines}")
            else:
                file.write(f"{name} {value}\n")


def _fields(struct: MjModel | MjData) -> dict[str, object]:
    names = (name for name in dir(struct) if not name.startswith("_"))
    values = {name: getattr(struct, name, None) for name in names}
    return {name: value for name, value in values.items() if isinstance(value, (np.ndarray, int, float))}


def mj_printFormattedModel(m: MjModel, filename: str | os.PathLike[str], float_format: str) -> None:
    """Writes all numbers of a model as text."""
    _print(_fields(m), filename, float_format)


def mj_printFormattedData(m: MjModel, d: MjData, filename: str | os.PathLike[str], float_format: str) -> None:
    """Writes all numbers of a data as text."""
    d._core.check_model(m._core)
    _print(_fields(d), filename, float_format)


def mj_printModel(m: MjModel, filename: str | os.PathLike[str]) -> None:
    """Writes all numbers of a model as text."""
    mj_printFormattedModel(m, filename, "%g")


def mj_printData(m: MjModel, d: MjData, filename: str | os.PathLike[str]) -> None:
    """Writes all numbers of a data as text."""
    mj_printFormattedData(m, d, filename, "%g")


def mju_getXMLDependencies(filename: str | os.PathLike[str]) -> list[str]:
    """The model file and all files that it and the files it includes name."""
    found: list[str] = []
    name = os.fsdecode(filename)
    _collect(name, os.path.dirname(name), found)
    return found


def _collect(path: str, folder: str, found: list[str]) -> None:
    """Adds a model file and the files that it references, relative to the folder of the main
    file."""
    if path in found:
        return
    found.append(path)
    root = ElementTree.parse(path).getroot()
    folders = {key: value for compiler in root.iter("compiler") for key, value in compiler.attrib.items()}
    of_kind = {"mesh": "meshdir", "texture": "texturedir"}
    for element in root.iter():
        for key, value in element.attrib.items():
            if not key.startswith("file"):
                continue
            if element.tag == "include":
                _collect(os.path.join(folder, value), folder, found)
            elif element.tag in ("mesh", "texture", "hfield", "skin", "model", "flexcomp"):
                below = folders.get(of_kind.get(element.tag, ""), folders.get("assetdir", ""))
                name = os.path.normpath(os.path.join(folder, below, value))
                found.append(name) if name not in found else None


__all__ = [name for name in globals() if name.startswith(("mj_", "mju_"))]
