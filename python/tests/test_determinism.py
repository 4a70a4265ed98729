"""The Python package simulates with the same bits as the Rust tests, whatever build it is."""

import pathlib

import numpy as np
import pytest
import saltus

ROOT = pathlib.Path(__file__).resolve().parents[2]
HASHES = dict(line.split() for line in (ROOT / "crates/sim/tests/it/hashes.txt").read_text().splitlines())
STEPS = 200


def fnv1a(numbers: np.ndarray) -> str:
    h = 0xCBF29CE484222325
    for byte in numbers.astype("<f8").tobytes():
        h = ((h ^ byte) * 0x100000001B3) & 0xFFFFFFFFFFFFFFFF
    return f"{h:016x}"


@pytest.mark.parametrize("scene", HASHES)
def test_states_have_the_bits_of_the_rust_tests(scene: str) -> None:
    model = saltus.Model.load(ROOT / "models" / scene)
    data = model.data()
    for k in range(STEPS):
        data.ctrl[:] = [(i * 7 + k * 3) % 11 * 0.125 - 0.625 for i in range(model.nu)]
        data.step()
    assert fnv1a(np.concatenate([data.q, data.v])) == HASHES[scene]
