"""Routes and pages of networks on other devices, of which this machine may have none: read from the source."""

import re
from pathlib import Path

import pytest

import vinlab

SOURCE = Path(vinlab.__file__).parent


@pytest.mark.parametrize("room", ["cli", "navigation", "serve", "evaluation"])
def test_tensors_come_to_the_processor_before_they_become_arrays(room):
    found = {
        f"{file.name}: {line.strip()}"
        for file in (SOURCE / room).rglob("*.py")
        for line in file.read_text(encoding="utf-8").splitlines()
        if re.search(r"\.numpy\(\)", line) and ".cpu()" not in line
    }
    assert found == set()
