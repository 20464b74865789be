"""Target of a command: a server, or a database that is served in this process without a network.

Its cache origin separates cached pages by server and key, or by database and user.
"""

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import ExitStack
from functools import partial
from hashlib import sha256
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, NamedTuple, TypeVar

from frontdesk.cli.config import Configuration, configuration
from frontdesk.cli.progress import waiting
from frontdesk.errors import BadSettings, InboxError, NotOffered, Unauthorised, Unreachable
from frontdesk.settings import Profile
from frontdesk.system import environment

if TYPE_CHECKING:
    from frontdesk.client import InboxClient, Network
    from frontdesk.client.transport import WaitContext
    from frontdesk.store.database import Connection, Database, Row
    from frontdesk.store.media_files import MediaFiles


ACCOUNT = 1

# Never resolved: addresses the service within this process.
_BASE_URL = "http://localhost"


def in_process(
    database: "Database",
    user_id: int | None,
    resources: ExitStack,
    waiting: "WaitContext | None" = None,
    *,
    media_files: "MediaFiles | None" = None,
    masked: bool = False,
) -> "InboxClient":
    """Return a client of a service over `database`, with an in-memory key.

    media_files: where its files of messages are, see `cli/media.py`. masked: for the key, customers
    are.

    `resources` stops the service before the database closes, and raises UnusableFile if the service
    failed because the database is damaged. Imports the network stack.
    """
    from frontdesk.client import InboxClient
    from frontdesk.service.api_keys import new_ephemeral_key
    from frontdesk.service.app import create_app

    key, ephemeral = new_ephemeral_key(ACCOUNT, user_id, masked=masked)
    service = create_app(database, ephemeral_keys=[ephemeral], media_files=media_files)
    resources.callback(service.close)
    resources.push(partial(_report_damage, database))
    return InboxClient(_BASE_URL, key, app=service, waiting=waiting)


def _report_damage(
    database: "Database",
    kind: type[BaseException] | None,
    error: BaseException | None,
    traceback: TracebackType | None,
) -> None:
    """Exit callback. Raises: UnusableFile: the service failed because the file is damaged."""
    if isinstance(error, InboxError) and database.damage is not None:
        raise database.damage from error


def user_of(database: "Database", user: str | None) -> "Row | None":
    """Find a user by e-mail address, name or id; None without `user`.

    Raises: BadSettings: unknown user.
    """
    return database.read(lambda connection: known_user(connection, ACCOUNT, user)) if user else None


def known_user(connection: "Connection", account_id: int, user: str) -> "Row":
    """Find a user by e-mail address, name or id. Raises: BadSettings: unknown user."""
    from frontdesk.selection.names import listed
    from frontdesk.store.accounts import user_named, user_names

    row = user_named(connection, account_id, user)
    if row is None:
        known = listed(user_names(connection, account_id))
        raise BadSettings(f"There is no user {user!r}{known}")
    return row


def as_sample_agent(
    database: "Database", resources: ExitStack, media_files: "MediaFiles | None" = None
) -> "InboxClient":
    from frontdesk.sample.demo import ME
    from frontdesk.store.accounts import user_named

    me = database.read(lambda connection: user_named(connection, ACCOUNT, ME))
    return in_process(database, int(me["id"]) if me else None, resources, media_files=media_files)


def origin_of(url: str, key: str) -> str:
    """Return the origin of a server and key, without revealing the key."""
    return f"{url.rstrip('/')} {sha256(key.encode()).hexdigest()[:16]}"


def database_origin(address: str, user_id: int | None) -> str:
    """Return the origin of a database and the user meant by "me"."""
    from frontdesk.store.dsn import is_address, without_password

    place = without_password(address) if is_address(address) else Path(address).absolute()
    return f"{place} {user_id or ''}"


T = TypeVar("T")


class Target(NamedTuple):
    """Target given by options. user: the user meant by "me" in a database. profile: its name."""

    url: str | None = None
    database: str | None = None
    user: str | None = None
    profile: str | None = None


def parse_target(
    url: str | None = None,
    database: str | None = None,
    user: str | None = None,
    profile: str | None = None,
) -> Target:
    """Build a target from options.

    Raises: BadSettings: conflicting options.
    """
    if len([option for option in (url, database, profile) if option]) > 1:
        raise BadSettings("Use only one of --url, --database and --profile")
    if url and user:
        raise BadSettings("--url does not go with --as")
    return Target(url, database, user, profile)


def resolve(target: Target, configured: Configuration | None = None) -> Target:
    """Resolve a target's profile, or the default profile if the target is empty.

    An empty target stays empty without a default profile.

    Raises: BadSettings: unknown profile, or a user given for a server.
    """
    if target.url or target.database:
        return target
    configured = configured or configuration(whole=False)
    profile = configured.named(target.profile) if target.profile else configured.in_use
    if profile is None:
        return target
    if profile.url and target.user:
        raise BadSettings("--as is for databases: a server knows “me” by the API key")
    return Target(profile.url, profile.database, target.user or profile.user, profile.name)


def api_key_of(target: Target, configured: Configuration | None = None) -> str:
    """Return the API key of a server.

    For a URL: from the environment, or else stored for a profile with that URL. For a profile: the
    stored key, or else from the environment.

    Raises: BadSettings: no key found.
    """
    in_environment = environment.key_in_environment()
    if in_environment and not target.profile:
        return in_environment
    configured = configured or configuration(whole=False)
    for profile in configured.profiles.values():
        if target.profile == profile.name or (not target.profile and target.url == profile.url):
            from frontdesk.cli.key_store import load_key

            key = load_key(profile)
            if key:
                return key
    if in_environment or not target.profile:
        return environment.api_key()
    raise BadSettings(
        f"No key is kept for the profile {target.profile!r}:"
        f" frontdesk profiles add {target.profile} --replace --url {target.url}"
    )


def where(profile: Profile) -> str:
    """Return a profile's URL or database, without passwords."""
    if profile.url:
        return profile.url
    from frontdesk.store.dsn import without_password

    return without_password(profile.database or "")


def run_with_client(
    target: Target, work: Callable[["InboxClient"], Awaitable[T]], *, waits: bool = False
) -> T:
    """Run `work` with a client of the target, and close the client. waits: see `client_of`.

    Raises: InboxError.
    """
    with ExitStack() as resources:
        client = client_of(target, resources, waits=waits)
        return asyncio.run(_closing(client, work))


def client_of(
    target: Target, resources: ExitStack, *, waits: bool = False, masked: bool = False
) -> "InboxClient":
    """Return a client of the target; `resources` closes what it depends on.

    waits: requests wait as long as the server asks, which a terminal shows. masked: customers are,
    by the service of a database, or here.

    Raises: BadSettings: invalid target. UnusableFile: not a frontdesk database.
    """
    target, context = _resolve_inbox(target), waiting if waits else None
    if target.url:
        from frontdesk.client import InboxClient
        from frontdesk.client.masked import MaskedInboxClient

        kind = MaskedInboxClient if masked else InboxClient
        return kind(target.url, api_key_of(target), network=network(), waiting=context)
    from frontdesk.cli.database import opened
    from frontdesk.cli.media import media_files

    address = target.database or ""
    database = resources.enter_context(opened(address))
    row = user_of(database, target.user)
    return in_process(
        database,
        int(row["id"]) if row else None,
        resources,
        context,
        media_files=media_files(None, address),
        masked=masked,
    )


def network(configured: Configuration | None = None) -> "Network":
    """Return network settings from the configuration or else the environment.

    Raises: BadSettings: invalid configuration.
    """
    settings = (configured or configuration(whole=False)).network
    from frontdesk.client import Network

    return Network.of(environment.variables(), settings)


def cache_origin(target: Target) -> str:
    """Return the cache origin of a target.

    Raises: BadSettings: invalid target. UnusableFile: not a frontdesk database.
    """
    target = _resolve_inbox(target)
    if target.url:
        return origin_of(target.url, api_key_of(target))
    from frontdesk.cli.database import opened

    address = target.database or ""
    if not target.user:
        return database_origin(address, None)
    with opened(address) as database:
        row = user_of(database, target.user)
    return database_origin(address, int(row["id"]) if row else None)


def _resolve_inbox(target: Target) -> Target:
    target = resolve(target)
    if not target.url and not target.database:
        raise BadSettings("No inbox is given: use --url URL or --database PATH, or add a profile")
    return target


async def _closing(client: "InboxClient", work: Callable[["InboxClient"], Awaitable[T]]) -> T:
    async with client:
        return await work(client)


async def describe_server(url: str, key: str) -> str:
    """Connect to a server and describe its inbox in a few words.

    Raises: BadSettings: invalid URL or key. Unreachable, Unauthorised, Forbidden, NotFound,
    BadResponse: no inbox is available.
    """
    from frontdesk.client import InboxClient
    from frontdesk.wire import ConversationFilter

    async with InboxClient(url, key, network=network()) as client:
        try:
            counts = await client.counts()
        except (Unreachable, Unauthorised):
            raise
        except InboxError:
            try:
                page = await client.conversation_page(ConversationFilter(), limit=1)
            except NotOffered as error:
                raise NotOffered("There is no inbox at this address: it lists none") from error
            return "conversations are there" if page.data else "no conversations yet"
    mine = "" if counts.mine is None else f", {counts.mine} of them yours"
    return f"{counts.open} open conversations{mine}"


def describe_database(database: str, user: str | None) -> str:
    """Open a database and describe its inbox in a few words.

    Raises: UnusableFile: not a frontdesk database. BadSettings: unknown user. Unreachable.
    """
    from frontdesk.cli.database import opened

    async def ask() -> str:
        async with client:
            return f"{(await client.counts()).open} open conversations"

    with ExitStack() as resources:
        store = resources.enter_context(opened(database))
        row = user_of(store, user)
        client = in_process(store, int(row["id"]) if row else None, resources)
        return asyncio.run(ask())
