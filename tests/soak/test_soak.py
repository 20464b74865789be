"""Simulated use in the size of a test run; `python -m tests.soak` is the whole hour."""

from pathlib import Path

import pytest

from tests.soak.hour import soak

MINUTES, SEED = 20.0, 12
# Between the first fifth and the end: what caches still learn, and no more.
_MOST_GROWTH = 1.25
_MOST_STRIPS = 20_000


@pytest.mark.slow
def test_nothing_breaks_it(tmp_path: Path) -> None:
    told = soak(tmp_path, SEED, MINUTES)
    assert told.places > 5
    assert len(told.faults) > 5
    assert told.blocks[-1] < _MOST_GROWTH * told.blocks[0]
    assert told.strips < _MOST_STRIPS


@pytest.mark.slow
def test_a_seed_is_one_story(tmp_path: Path) -> None:
    stories = []
    for name in ("once", "again"):
        (tmp_path / name).mkdir()
        told = soak(tmp_path / name, SEED, 1.0)
        stories.append((told.steps, told.keys, told.screens, told.webhooks))
    assert stories[0] == stories[1]
