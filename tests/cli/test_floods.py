"""Hostile requests without a key take a bounded amount of the service's memory."""

from pathlib import Path

import pytest
from tests.bench.load import FLOODS, peaks

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="read from /proc"),
]

MOST_MEGABYTES = 20


@pytest.mark.parametrize("flood", FLOODS)
def test_a_flood_takes_little_memory(path: Path, flood: str):
    before, after = peaks(str(path), flood)
    assert after - before < MOST_MEGABYTES
