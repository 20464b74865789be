"""Simulated use in the size of a test run; `python -m tests.soak` is the whole hour."""

from pathlib import Path

import pytest

from tests.soak.simulation import soak

MINUTES, SEED = 16.0, 10
# Between the first fifth and the end: what caches still learn, and no more.
_MOST_GROWTH = 1.25
_MOST_STRIPS = 20_000


@pytest.mark.slow
def test_random_use_under_faults_breaks_no_invariant(tmp_path: Path) -> None:
    summary = soak(tmp_path, SEED, MINUTES)
    assert summary.places > 5
    assert len(summary.faults) > 5
    assert summary.blocks[-1] < _MOST_GROWTH * summary.blocks[0]
    assert summary.strips < _MOST_STRIPS


@pytest.mark.slow
def test_a_seed_determines_the_run(tmp_path: Path) -> None:
    stories = []
    for name in ("once", "again"):
        (tmp_path / name).mkdir()
        summary = soak(tmp_path / name, SEED, 0.5)
        stories.append((summary.steps, summary.keys, summary.screens, summary.webhooks))
    assert stories[0] == stories[1]
