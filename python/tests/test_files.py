"""Files are given by name: str, bytes, or os.PathLike, never by the number of an open file."""

from __future__ import annotations

import os
import pathlib

import pytest
import saltus
from saltus import mujoco as sm

XML = "<mujoco><worldbody><body><freejoint/><geom size='0.1'/></body></worldbody></mujoco>"
M = sm.MjModel.from_xml_string(XML)
D = sm.MjData(M)

WRITERS = {
    "mj_saveLastXML": lambda name: sm.mj_saveLastXML(name, M),
    "mj_saveModel": lambda name: sm.mj_saveModel(M, name),
    "mj_printModel": lambda name: sm.mj_printModel(M, name),
    "mj_printData": lambda name: sm.mj_printData(M, D, name),
    "mj_printFormattedModel": lambda name: sm.mj_printFormattedModel(M, name, "%g"),
    "mj_printFormattedData": lambda name: sm.mj_printFormattedData(M, D, name, "%g"),
    "MjSpec.to_file": lambda name: sm.MjSpec.from_string(XML).to_file(name),
    "Model.save": lambda name: M.save(name),
}
READERS = {
    "MjModel.from_xml_path": (sm.MjModel.from_xml_path, "model.xml"),
    "MjModel.from_xml_path with assets": (lambda name: sm.MjModel.from_xml_path(name, {"other": b""}), "model.xml"),
    "MjModel.from_binary_path": (sm.MjModel.from_binary_path, "model.smb"),
    "MjSpec.from_file": (sm.MjSpec.from_file, "model.xml"),
    "mju_getXMLDependencies": (sm.mju_getXMLDependencies, "model.xml"),
    "Model.load": (saltus.Model.load, "model.xml"),
    "Spec.load": (saltus.Spec.load, "model.xml"),
}
OTHERS = {
    "Task": saltus.Task,
    "Task.load": saltus.Task.load,
    "Plan.load": saltus.Plan.load,
}


@pytest.mark.parametrize("write", WRITERS.values(), ids=WRITERS)
def test_writers_take_names(write, tmp_path):
    for k, form in enumerate((str, os.fsencode, pathlib.Path)):
        path = tmp_path / f"file{k}"
        write(form(path))
        assert path.stat().st_size > 0
    assert len(list(tmp_path.iterdir())) == 3


@pytest.mark.parametrize("read, file", READERS.values(), ids=READERS)
def test_readers_take_names(read, file, tmp_path):
    (tmp_path / "model.xml").write_text(XML)
    M.save(tmp_path / "model.smb")
    for form in (str, os.fsencode, pathlib.Path):
        assert read(form(tmp_path / file)) is not None


CALLS = {**WRITERS, **{name: read for name, (read, _) in READERS.items()}, **OTHERS}


@pytest.mark.parametrize("call", CALLS.values(), ids=CALLS)
@pytest.mark.parametrize("wrong", [None, True, 1.5, ["a"]])
def test_an_open_file_is_left_alone(call, wrong, tmp_path):
    with open(tmp_path / "precious", "w+") as file:
        file.write("kept")
        file.flush()
        number = file.fileno() if wrong is None else wrong
        with pytest.raises(TypeError):
            call(number)
        file.seek(0)
        assert file.read() == "kept"
