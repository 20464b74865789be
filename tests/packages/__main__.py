"""`python -m tests.packages install|lowest`: the published packages, in clean environments."""

import argparse

from tests.packages import install, lowest


def main() -> None:
    """Run one of the checks."""
    parser = argparse.ArgumentParser(prog="python -m tests.packages", description=__doc__)
    kinds = parser.add_subparsers(required=True)
    for name, check in (("install", install), ("lowest", lowest)):
        kind = kinds.add_parser(name, description=check.__doc__)
        check.add_options(kind)
        kind.set_defaults(run=check.run)
    options = parser.parse_args()
    options.run(options)


if __name__ == "__main__":
    main()
