"""Prints rows of the tables of docs/performance.md, as measured now."""

import argparse
import inspect

from tests.bench import lists, load, news, search, start, store
from tests.bench.measure import table


def main() -> None:
    """Run one of the programs; its options are the parameters of its results."""
    parser = argparse.ArgumentParser(prog="python -m tests.bench", description=__doc__)
    names = parser.add_subparsers(required=True)
    for program in (start, lists, store, search, load, news):
        name = program.__name__.rpartition(".")[2]
        options = names.add_parser(name, description=program.__doc__)
        for option in inspect.signature(program.results).parameters.values():
            help = f"default: {option.default}" if option.default else None
            flag, kind = f"--{option.name}", type(option.default)
            options.add_argument(flag, type=kind, default=option.default, help=help)
        options.set_defaults(results=program.results)
    chosen = vars(parser.parse_args())
    for line in table(chosen.pop("results")(**chosen)):
        print(line, flush=True)  # noqa: T201


if __name__ == "__main__":
    main()
