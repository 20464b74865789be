"""`python -m tests.soak`: simulated use of the viewer on a virtual clock, with faults all along."""

import argparse
import sys
import tempfile
import time
from pathlib import Path

from tests.soak.simulation import Summary, soak


def main() -> None:
    """Run the simulation and print its summary."""
    parser = argparse.ArgumentParser(prog="python -m tests.soak", description=__doc__)
    parser.add_argument("--minutes", type=float, default=60.0, help="simulated minutes (60)")
    parser.add_argument("--seed", type=int, default=1, help="what happens follows from it (1)")
    options = parser.parse_args()
    began = time.monotonic()
    with tempfile.TemporaryDirectory(prefix="frontdesk-soak-") as name:
        summary = soak(Path(name), options.seed, options.minutes)
    _print_summary(summary, time.monotonic() - began)


def _print_summary(summary: Summary, seconds: float) -> None:
    lines = (
        ("seed", summary.seed),
        ("took", f"{seconds:.0f} s"),
        ("steps", _counts(summary.steps)),
        ("different keys", len(summary.keys)),
        ("starts", summary.starts),
        ("screens", _counts(summary.screens)),
        ("requests", _counts(summary.faults)),
        ("webhooks and changes", summary.webhooks),
        ("places compared", summary.places),
        ("blocks in memory", " ".join(f"{blocks:,}" for blocks in summary.blocks)),
        ("MB in memory", " ".join(f"{size:.1f}" for size in summary.megabytes)),
        ("lines drawn and held", summary.strips),
    )
    for words, value in lines:
        sys.stdout.write(f"{words:22}{value}\n")


def _counts(counts: dict[str, int]) -> str:
    most = sorted(counts.items(), key=lambda pair: -pair[1])
    return f"{sum(counts.values())}: " + ", ".join(f"{name} {number}" for name, number in most)


if __name__ == "__main__":
    main()
