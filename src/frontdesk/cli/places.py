"""Target of a command: a server, or a database served in this process."""

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import ExitStack
from typing import TYPE_CHECKING, NamedTuple, TypeVar

from frontdesk import settings
from frontdesk.cli.config import Configuration, Profile, configuration
from frontdesk.cli.origins import database_origin, origin_of
from frontdesk.errors import BadSettings

if TYPE_CHECKING:
    from frontdesk.client import InboxClient, Network

T = TypeVar("T")


class Place(NamedTuple):
    """Target given by options. user: the user meant by "me" in a database. profile: its name."""

    url: str | None = None
    database: str | None = None
    user: str | None = None
    profile: str | None = None


def said_place(
    url: str | None = None,
    database: str | None = None,
    user: str | None = None,
    profile: str | None = None,
) -> Place:
    """Build a place from options.

    Raises: BadSettings: conflicting options.
    """
    if len([one for one in (url, database, profile) if one]) > 1:
        raise BadSettings("Say one of --url, --database and --profile")
    if url and user:
        raise BadSettings("--url does not go with --as")
    return Place(url, database, user, profile)


def found(place: Place, configured: Configuration | None = None) -> Place:
    """Resolve a place's profile, or the default profile if the place is empty.

    An empty place stays empty without a default profile. Raises: BadSettings: unknown profile, or a
    user given for a server.
    """
    if place.url or place.database:
        return place
    configured = configured or configuration(whole=False)
    profile = configured.named(place.profile) if place.profile else configured.in_use
    if profile is None:
        return place
    if profile.url and place.user:
        raise BadSettings("--as is for databases: a key tells a server who “me” is")
    return Place(profile.url, profile.database, place.user or profile.user, profile.name)


def key_of(place: Place, configured: Configuration | None = None) -> str:
    """Return the API key of a server.

    For a URL: from the environment, or else stored for a profile with that URL. For a profile: the
    stored key, or else from the environment.

    Raises: BadSettings: no key found.
    """
    environment = settings.key_in_environment()
    if environment and not place.profile:
        return environment
    configured = configured or configuration(whole=False)
    for profile in configured.profiles.values():
        if place.profile == profile.name or (not place.profile and place.url == profile.url):
            from frontdesk.cli.key_store import kept_key

            key = kept_key(profile)
            if key:
                return key
    if environment or not place.profile:
        return settings.api_key()
    raise BadSettings(
        f"No key is kept for the profile {place.profile!r}:"
        f" frontdesk profiles add {place.profile} --replace --url {place.url}"
    )


def where(profile: Profile) -> str:
    """Return a profile's URL or database, without passwords."""
    if profile.url:
        return profile.url
    from frontdesk.store.dsn import shown

    return shown(profile.database or "")


def asked(place: Place, work: Callable[["InboxClient"], Awaitable[T]]) -> T:
    """Run `work` with a client of the place, and close the client.

    Raises: InboxError.
    """
    with ExitStack() as ending:
        client = client_of(place, ending)
        return asyncio.run(_closing(client, work))


def client_of(place: Place, ending: ExitStack) -> "InboxClient":
    """Return a client of the place; `ending` closes what it depends on.

    Raises: BadSettings: invalid place. UnusableFile: not a frontdesk database.
    """
    place = _somewhere(place)
    if place.url:
        from frontdesk.client import InboxClient

        return InboxClient(place.url, key_of(place), network=network())
    return _served_here(place.database or "", place.user, ending)


def network(configured: Configuration | None = None) -> "Network":
    """Return network settings from the configuration or else the environment.

    Raises: BadSettings: invalid configuration.
    """
    said = (configured or configuration(whole=False)).network
    from frontdesk.client import Network

    return Network.of(settings.environment(), ca_file=said.ca_file, proxy=said.proxy)


def kept_under(place: Place) -> str:
    """Return the cache origin of a place.

    Raises: BadSettings: invalid place. UnusableFile: not a frontdesk database.
    """
    place = _somewhere(place)
    if place.url:
        return origin_of(place.url, key_of(place))
    from frontdesk.cli.databases import opened
    from frontdesk.cli.in_process import user_of

    target = place.database or ""
    if not place.user:
        return database_origin(target, None)
    with opened(target) as database:
        row = user_of(database, place.user)
    return database_origin(target, int(row["id"]) if row else None)


def _somewhere(place: Place) -> Place:
    place = found(place)
    if not place.url and not place.database:
        raise BadSettings("Nowhere to ask: give --url URL or --database PATH, or add a profile")
    return place


def _served_here(target: str, user: str | None, ending: ExitStack) -> "InboxClient":
    from frontdesk.cli.databases import opened
    from frontdesk.cli.in_process import in_process, user_of

    database = ending.enter_context(opened(target))
    row = user_of(database, user)
    return in_process(database, int(row["id"]) if row else None, ending)


async def _closing(client: "InboxClient", work: Callable[["InboxClient"], Awaitable[T]]) -> T:
    async with client:
        return await work(client)
