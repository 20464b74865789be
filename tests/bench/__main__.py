"""`python -m tests.bench` and one of the names below: what is fast, as ratios."""

import argparse

from tests.bench import cache, decoding, fill, floods, idle, ingest, load, search, store, viewer


def main() -> None:
    """Run one of the benchmarks."""
    parser = argparse.ArgumentParser(prog="python -m tests.bench", description=__doc__)
    kinds = parser.add_subparsers(required=True)
    benches = (
        ("viewer", viewer),
        ("store", store),
        ("search", search),
        ("ingest", ingest),
        ("decoding", decoding),
        ("cache", cache),
        ("fill", fill),
        ("idle", idle),
        ("load", load),
        ("floods", floods),
    )
    for name, bench in benches:
        kind = kinds.add_parser(name, description=bench.__doc__)
        bench.add_options(kind)
        kind.set_defaults(run=bench.run)
    options = parser.parse_args()
    options.run(options)


if __name__ == "__main__":
    main()
