"""`--config FILE` of a command: its options from a TOML file, by their long names without dashes.

Options of the command line go before those of the file, and those before the environment.
"""

from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any, TypeVar

import click

from frontdesk.errors import BadSettings
from frontdesk.store.dsn import without_password
from frontdesk.system import private_files, toml

F = TypeVar("F", bound=Callable[..., object])

_LARGEST_FILE = 1 << 20


def option_file(command: F) -> F:
    """Add the option `--config`."""
    option = click.option(
        "--config",
        metavar="FILE",
        is_eager=True,
        expose_value=False,
        callback=_load,
        help="Take options from this TOML file; those of the command line go first.",
    )
    return option(command)


def _load(context: click.Context, option: click.Parameter, name: str | None) -> None:
    """Make the file's values the defaults of the command.

    Raises: BadSettings: it cannot be read, or has a name or a value that is not allowed.
    """
    if name is None or context.resilient_parsing:
        return
    options = _options(context.command)
    values: dict[str, Any] = {}
    for key, value in _read(name).items():
        if key not in options:
            known = ", ".join(sorted(options))
            raise BadSettings(f"{name}: there is no option {key!r}; there are {known}")
        parameter = options[key]
        _check(name, key, parameter, value)
        try:
            parameter.type_cast_value(context, value)
        except click.BadParameter as error:
            raise BadSettings(f"{name}: {key}: {error.message}") from error
        values[parameter.name or key] = value
    context.default_map = {**(context.default_map or {}), **values}


def _options(command: click.Command) -> Mapping[str, click.Option]:
    """Return the options of a command by the keys of the file."""
    return dict(_named(command))


def _named(command: click.Command) -> Iterator[tuple[str, click.Option]]:
    for parameter in command.params:
        if isinstance(parameter, click.Option) and parameter.expose_value:
            for name in parameter.opts:
                if name.startswith("--"):
                    yield name.removeprefix("--"), parameter


def _read(name: str) -> Mapping[str, Any]:
    try:
        with open(name, "rb") as file:
            values = toml.loads(file.read(_LARGEST_FILE).decode())
    except OSError as error:
        raise BadSettings(f"{name} cannot be read: {error.strerror}") from error
    except ValueError as error:
        raise BadSettings(f"{name} is not TOML: {error}") from error
    database = values.get("database")
    if isinstance(database, str) and without_password(database) != database:
        # Refuses a file that others can read.
        private_files.load_text(Path(name))
    return values


def _check(name: str, key: str, option: click.Option, value: object) -> None:
    """Raises: BadSettings: the value has another type than the option."""
    if option.multiple:
        fits, what = _are_texts(value), 'a list of texts, such as ["127.0.0.1"]'
    elif option.is_flag:
        fits, what = isinstance(value, bool), "true or false"
    elif isinstance(option.type, click.IntRange):
        fits, what = _is_number(value, int), "a whole number"
    elif isinstance(option.type, click.FloatRange):
        fits, what = _is_number(value, int | float), "a number"
    else:
        fits, what = isinstance(value, str), "a text in quotation marks"
    if not fits:
        raise BadSettings(f"{name}: {key} is not {what}")


def _are_texts(value: object) -> bool:
    return isinstance(value, list) and all(isinstance(one, str) for one in value)


def _is_number(value: object, kind: Any) -> bool:
    return isinstance(value, kind) and not isinstance(value, bool)
