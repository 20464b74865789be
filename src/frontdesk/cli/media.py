"""Options for files of messages: where they are stored, which are fetched, with which token."""

import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, fields
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from frontdesk.cli.base import WholeNumber
from frontdesk.errors import BadSettings
from frontdesk.settings import byte_count
from frontdesk.system import environment
from frontdesk.text.clean import file_size
from frontdesk.wire.values import MEDIA_TYPES, epoch_milliseconds

if TYPE_CHECKING:
    from frontdesk.client import Network
    from frontdesk.client.files import AccountFiles, ProviderCredentials
    from frontdesk.ingest.media.attaching import FileTarget
    from frontdesk.service.media.fetcher import FetcherSettings
    from frontdesk.service.media.upkeep import MediaLimits
    from frontdesk.store.database import Database
    from frontdesk.store.media_files import MediaFiles

F = TypeVar("F", bound=Callable[..., object])

# Limit of one file, also of imports.
DEFAULT_MOST_BYTES = 100_000_000
OFF = "off"
_ENDING = ".media"
_BUCKET = "s3://"


# Generic in newer versions of click only.
if TYPE_CHECKING:
    _IntType = click.ParamType[int]
else:
    _IntType = click.ParamType


class _ByteCount(_IntType):
    """A number of bytes with a unit, such as 100MB."""

    name = "size"

    def convert(
        self, value: Any, param: click.Parameter | None, context: click.Context | None
    ) -> int:
        try:
            return byte_count(value)
        except ValueError as error:
            self.fail(f"{value!r} is no size: {error}")


def _kinds(context: click.Context, option: click.Parameter, text: str) -> frozenset[str]:
    kinds = frozenset(part.strip() for part in text.split(",") if part.strip())
    unknown = sorted(kinds - set(MEDIA_TYPES))
    if unknown or not kinds:
        allowed = ", ".join(MEDIA_TYPES)
        raise click.BadParameter(f"{text!r}: give some of {allowed}, with commas between")
    return kinds


@dataclass(frozen=True, slots=True)
class MediaOptions:
    """Values of the options of `media_options`; sizes in bytes."""

    media: str | None
    media_max_file: int
    media_kinds: frozenset[str]
    media_keep_days: int
    media_max_total: int
    media_least_free: int
    media_readers: str | None

    @classmethod
    def taken_from(cls, options: dict[str, Any]) -> "MediaOptions":
        """Take these options out of those of a command."""
        return cls(**{each.name: options.pop(each.name) for each in fields(cls)})

    def files(self, database: str) -> "MediaFiles | None":
        """The place of files; None if none are stored."""
        return media_files(self.media, database, least_free_bytes=self.media_least_free)

    def limits(self) -> "MediaLimits":
        from frontdesk.service.media.upkeep import MediaLimits

        return MediaLimits(self.media_keep_days, self.media_max_total)

    def fetching(self, workers: int) -> "FetcherSettings":
        """Settings of the fetcher of one of several workers, which share the budget of errors."""
        from frontdesk.ingest.media.fetching import ERROR_BUDGET
        from frontdesk.service.media.fetcher import FetcherSettings

        budget = max(2, ERROR_BUDGET // workers)
        return FetcherSettings(self.media_max_file, self.media_kinds, budget)


def media_option(command: F) -> F:
    """Add the option `--media`, where files of messages are."""
    return click.option(
        "--media",
        metavar="DIRECTORY|s3://BUCKET/PREFIX|off",
        help="Where files of messages are.  [default: beside a database file, with .media]",
    )(command)


def files_option(help_text: str) -> Callable[[F], F]:
    """Add the option `--with-files`, the directory of files that belongs to an export."""
    return click.option("--with-files", metavar="DIRECTORY", help=help_text)


def media_options(command: F) -> F:
    """Add the options of `MediaOptions`."""
    options = (
        media_option,
        click.option(
            "--media-max-file",
            type=_ByteCount(),
            default=DEFAULT_MOST_BYTES,
            show_default="100MB",
            metavar="SIZE",
            help="Fetch no file larger than this.",
        ),
        click.option(
            "--media-kinds",
            default=",".join(MEDIA_TYPES),
            show_default=True,
            metavar="KINDS",
            callback=_kinds,
            help="Fetch files of these kinds of messages.",
        ),
        click.option(
            "--media-keep-days",
            type=WholeNumber(0, 36500),
            default=0,
            show_default=True,
            help="Remove files of messages older than this; 0 for never.",
        ),
        click.option(
            "--media-max-total",
            type=_ByteCount(),
            default="0",
            show_default=True,
            metavar="SIZE",
            help="Remove the oldest files of an account above this; 0 for no limit.",
        ),
        click.option(
            "--media-least-free",
            type=_ByteCount(),
            default="1GB",
            show_default=True,
            metavar="SIZE",
            help="Fetch nothing while the disk has less free space.",
        ),
        click.option(
            "--media-readers",
            metavar="FILE",
            help="Read the words of files by the programs of this TOML file.  [default: off]",
        ),
    )
    for option in reversed(options):
        command = option(command)
    return command


def media_files(
    place: str | None, database: str, *, least_free_bytes: int | None = None
) -> "MediaFiles | None":
    """Where files of a database are; None for `off`, or PostgreSQL without a place.

    Raises: BadSettings: the address of a bucket cannot be used, or the extra `s3` is missing.
    """
    from frontdesk.store.dsn import is_address
    from frontdesk.store.incoming_files import LEAST_FREE_BYTES
    from frontdesk.store.media_directory import MediaDirectory

    if place == OFF or (place is None and is_address(database)):
        return None
    least = LEAST_FREE_BYTES if least_free_bytes is None else least_free_bytes
    if place is not None and place.startswith(_BUCKET):
        return _bucket(place, least)
    root = Path(place) if place is not None else Path(f"{database}{_ENDING}")
    return MediaDirectory(root.absolute(), least_free_bytes=least)


def _bucket(address: str, least_free_bytes: int) -> "MediaFiles":
    if not re.fullmatch(r"s3://[a-z0-9][a-z0-9.-]{1,61}[a-z0-9](/[^\s?#]*)?", address):
        raise BadSettings(f"{address!r} is no bucket: give s3://BUCKET or s3://BUCKET/PREFIX")
    try:
        from frontdesk.store.media_bucket import MediaBucket
    except ModuleNotFoundError as error:
        if error.name != "obstore":
            raise
        message = "Files on S3 need the extra s3: pip install 'frontdesk[s3]'"
        raise BadSettings(message) from None
    return MediaBucket(
        address,
        least_free_bytes=least_free_bytes,
        allow_http=environment.allows_plain_s3(),
    )


@contextmanager
def file_target(files: "MediaFiles", database: "Database") -> "Iterator[FileTarget]":
    """Where an import stores files."""
    from frontdesk.ingest.media.attaching import FileTarget
    from frontdesk.pictures import PictureDecoder

    with PictureDecoder() as decoder:
        yield FileTarget(database, files, decoder, DEFAULT_MOST_BYTES, epoch_milliseconds)


def stored_words(outcome: Mapping[str, int]) -> str:
    """What became of imported files: "2 stored, 1 damaged"."""
    return ", ".join(f"{count:,} {word}" for word, count in outcome.items() if count)


def place_words(files: "MediaFiles") -> str:
    """Where files are, and how much room is left. Raises: InboxError."""
    free = files.free_bytes()
    return files.place if free is None else f"{files.place} ({file_size(free)} free)"


def named_files(place: str | None, database: str) -> "MediaFiles":
    """The place of files, for a command that needs one. Raises: BadSettings."""
    files = media_files(place, database)
    if files is None:
        raise BadSettings("Files of messages need a place: name it with --media")
    return files


def provider_credentials(
    token: object, address: object, place: str
) -> "ProviderCredentials | None":
    """Credentials from a file of secrets; None without a token.

    Raises: BadSettings, which quotes no token.
    """
    from frontdesk.client.files import ProviderCredentials

    if token is None and address is None:
        return None
    if not isinstance(token, str) or not token.strip():
        raise BadSettings(f"{place}: access_token must be a text")
    if address is not None and not isinstance(address, str):
        raise BadSettings(f"{place}: media_base must be the address of the provider")
    if address is None:
        return ProviderCredentials(token.strip())
    return ProviderCredentials(token.strip(), address, file_hosts=())


def sources(
    common: "ProviderCredentials | None",
    by_account: Mapping[str, "ProviderCredentials"],
    network: "Network",
) -> "Callable[[], AccountFiles] | None":
    """A function that opens the providers; None without any credentials.

    The token in the environment is that of accounts for which the file of secrets has none.

    Raises: BadSettings: an address or a token cannot be used.
    """
    from frontdesk.client.files import AccountFiles, ProviderCredentials, ProviderFiles

    token = environment.whatsapp_access_token()
    if common is None and token:
        common = ProviderCredentials(token)
    everything = [*by_account.values(), *([common] if common else [])]
    if not everything:
        return None
    for credentials in everything:
        ProviderFiles(credentials, network)
    return partial(AccountFiles, common, by_account, network)
