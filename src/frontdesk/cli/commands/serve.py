"""`frontdesk serve`: runs the `/v1` service over TCP."""

import ipaddress
import logging
import os
import re
import ssl
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import partial
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from frontdesk.cli.base import WholeNumber, command
from frontdesk.cli.database import opened
from frontdesk.cli.exit_codes import guarded, say
from frontdesk.cli.extras import check_mcp_extra
from frontdesk.cli.media import (
    OFF,
    MediaOptions,
    media_options,
    place_words,
    provider_credentials,
)
from frontdesk.cli.media import sources as provider_sources
from frontdesk.cli.option_file import option_file
from frontdesk.cli.options import admission_options, database_option
from frontdesk.cli.sockets import base_url, bound_to
from frontdesk.cli.target import network
from frontdesk.errors import BadSettings
from frontdesk.ingest.webhooks.retention import DEFAULT_RETENTION_DAYS
from frontdesk.service.rate_limit import RateLimit
from frontdesk.system import environment, private_files, toml
from frontdesk.system.loopback import is_loopback
from frontdesk.wire.values import epoch_milliseconds

_log = logging.getLogger("frontdesk.service")

if TYPE_CHECKING:
    from frontdesk.client.files import ProviderCredentials
    from frontdesk.ingest.admission import Admission
    from frontdesk.service.access_log import LogTarget
    from frontdesk.service.media.reader_table import FileReader
    from frontdesk.service.model_context import ModelContextSettings
    from frontdesk.service.prometheus_metrics import SupervisorMetrics
    from frontdesk.service.server import FetchingPlan, Listener, Plan
    from frontdesk.service.webhooks.receiver import WebhookSecret, WebhookSecrets
    from frontdesk.service.webhooks.worker import WorkerSettings
    from frontdesk.store.media_files import MediaFiles

STANDARD_ERROR = "-"
# Length of the prefix of IPv4-mapped IPv6 addresses.
_MAPPED_PREFIX = 96

_RATE_LIMIT = RateLimit()
# Optional members of a file of secrets: token and address of the provider of files.
_PROVIDER_MEMBERS = ("access_token", "media_base")


@dataclass(frozen=True, slots=True)
class WebhookOptions:
    """Values of the webhook options."""

    webhook_secrets: str | None
    insecure_no_signature: bool
    keep_webhooks_days: int
    retain_revoked: bool
    resolve_after_days: int | None
    resolve_waiting: bool
    admission: "Admission"


@command(
    "serve",
    "frontdesk serve --database inbox.db --port 8080",
    "frontdesk serve --database postgresql:///inbox --port 8080 --workers 4",
    "frontdesk serve --config /etc/frontdesk/serve.toml",
)
@option_file
@database_option("Database to serve.")
@click.option(
    "--read-database",
    metavar="ADDRESS",
    help="Read from here, such as from standbys of PostgreSQL; write to --database.",
)
@click.option(
    "--port",
    required=True,
    type=WholeNumber(0, 65535),
    help="Port to listen on; 0 for a free one.",
)
@click.option("--host", default="127.0.0.1", show_default=True, help="Address to listen on.")
@click.option(
    "--allow-plain-http",
    is_flag=True,
    help="Listen on other addresses without TLS, which exposes keys.",
)
@click.option(
    "--tls-certificate",
    metavar="FILE",
    help="Serve HTTPS with this certificate and its chain (PEM).  [default: off]",
)
@click.option(
    "--tls-key", metavar="FILE", help="Private key of the certificate (PEM, not encrypted)."
)
@click.option(
    "--workers",
    type=WholeNumber(1, 64),
    default=1,
    show_default=True,
    help="Number of processes.",
)
@click.option(
    "--rate-limit",
    type=WholeNumber(0, 1_000_000),
    default=_RATE_LIMIT.requests,
    show_default=True,
    help="Requests per minute and key; 0 for no limit.",
)
@click.option(
    "--burst",
    type=WholeNumber(1, 1_000_000),
    default=_RATE_LIMIT.burst,
    show_default=True,
    help="Requests that a key may send in a burst.",
)
@click.option(
    "--strict-query/--lenient-query",
    default=True,
    show_default=True,
    help="Refuse or ignore unknown query parameters.",
)
@click.option(
    "--problem-base-uri",
    metavar="URI",
    callback=lambda context, option, text: _absolute_uri(text),
    help="Prefix of the `type` of problem responses.",
)
@click.option(
    "--access-log",
    metavar="FILE",
    help="Log each response as a line of JSON; - for standard error.",
)
@click.option(
    "--log-addresses", is_flag=True, help="Log the clients' addresses too.  [default: off]"
)
@click.option(
    "--query-seconds",
    type=click.FloatRange(0.1, 300),
    default=10.0,
    show_default=True,
    help="Time limit of a database query, in seconds.",
)
@click.option(
    "--proxy",
    "proxies",
    multiple=True,
    metavar="ADDRESS",
    callback=lambda context, option, texts: tuple(map(_proxy, texts)),
    help="Trust X-Forwarded-For from this proxy (IP address or network); may "
    "be repeated.  [default: none]",
)
@click.option(
    "--metrics",
    metavar="HOST:PORT",
    callback=lambda context, option, text: _address(text),
    help="Serve Prometheus metrics on this address.  [default: off]",
)
@click.option(
    "--webhook-secrets",
    metavar="FILE",
    help="TOML file of app secrets and verify tokens, readable only by its owner.",
)
@click.option(
    "--insecure-no-signature",
    is_flag=True,
    help="Accept unsigned webhooks, on a loopback address only, for testing.",
)
@click.option(
    "--keep-webhooks-days",
    type=WholeNumber(1, 3650),
    default=DEFAULT_RETENTION_DAYS,
    show_default=True,
    help="Days to keep webhook bodies after they are applied.",
)
@click.option(
    "--retain-revoked",
    is_flag=True,
    help="Keep deleted messages in stored webhook bodies.",
)
@click.option(
    "--resolve-after-days",
    type=WholeNumber(1, 3650),
    help="Resolve conversations inactive for this many days.  [default: never]",
)
@click.option(
    "--resolve-waiting/--resolve-unless-waiting",
    default=True,
    show_default=True,
    help="Also resolve those in which a customer waits.",
)
@click.option(
    "--mcp",
    "serves_models",
    is_flag=True,
    help="Serve /mcp to language models too (extra mcp).  [default: off]",
)
@click.option(
    "--mcp-host",
    "mcp_hosts",
    multiple=True,
    metavar="NAME",
    callback=lambda context, option, texts: tuple(map(_host_name, texts)),
    help="Name by which clients and pages reach /mcp, besides localhost and --host; may be "
    "repeated.",
)
@media_options
@admission_options
def serve_command(
    database: str,
    read_database: str | None,
    port: int,
    host: str,
    allow_plain_http: bool,
    tls_certificate: str | None,
    tls_key: str | None,
    workers: int,
    rate_limit: int,
    burst: int,
    strict_query: bool,
    problem_base_uri: str | None,
    access_log: str | None,
    log_addresses: bool,
    query_seconds: float,
    proxies: tuple[str, ...],
    metrics: tuple[str, int] | None,
    serves_models: bool,
    mcp_hosts: tuple[str, ...],
    **more_options: Any,
) -> None:
    """Serve /v1, and print its base URL when it is ready.

    SIGTERM stops it after the current requests are answered; SIGHUP opens the file of the access
    log again. Errors and warnings go to standard error, each as a line of JSON.
    """
    media = MediaOptions.taken_from(more_options)
    webhook = WebhookOptions(**more_options)
    tls = _tls_files(tls_certificate, tls_key)
    if tls is None and not allow_plain_http and not is_loopback(host):
        raise BadSettings(
            f"{host} is not this machine alone, and keys would travel unencrypted: put a TLS "
            "proxy in front, or use --tls-certificate and --tls-key, or --allow-plain-http"
        )
    _check_means(workers, metrics=metrics is not None)
    if mcp_hosts and not serves_models:
        raise click.UsageError("--mcp-host goes with --mcp")
    model_context = _model_context(host, mcp_hosts) if serves_models else None
    secrets = webhook_secrets(webhook, on_loopback=is_loopback(host))
    media_files, fetching = _media(media, database, webhook.webhook_secrets, workers)
    readers = _readers(media, media_files, workers)
    from frontdesk.service.app import Options
    from frontdesk.service.error_log import log_as_json
    from frontdesk.service.problems import PROBLEM_BASE_URI
    from frontdesk.service.server import Listener, Plan
    from frontdesk.store import message_search

    options = Options(
        rate_limit=RateLimit(rate_limit, _RATE_LIMIT.seconds, burst),
        strict_query=strict_query,
        problem_base_uri=problem_base_uri or PROBLEM_BASE_URI,
        compress=True,
    )
    log_as_json()
    # Database errors are reported once, before any worker starts.
    with opened(database, read_target=read_database) as store:
        if (lack := store.read(message_search.lack)) is not None:
            say(lack)
    plan = Plan(
        opened,
        database,
        read_database,
        options,
        query_seconds,
        proxies,
        _log_target(access_log, addresses=log_addresses),
        replace(worker_settings(webhook), media_files=media_files, media_limits=media.limits()),
        secrets,
        metrics is not None,
        fetching,
        model_context,
        readers,
    )
    # granian is told a free port, and opens it in every worker.
    with bound_to(host, port) as bound:
        address, number = bound.getsockname()[:2]
    if "%" in address:
        raise BadSettings(
            f"{address} has a zone, which cannot be listened on: give another address"
        )
    listener = Listener(address, number, *(tls or (None, None)))
    if metrics is None:
        _serve(plan, listener, workers)
        return
    with _metrics(plan, *metrics) as (supervisor_metrics, metrics_url):
        _serve(plan, listener, workers, supervisor_metrics, metrics_url)


def _model_context(host: str, names: tuple[str, ...]) -> "ModelContextSettings":
    """What answers /mcp, as on this machine and by these names. Raises: BadSettings."""
    check_mcp_extra()
    # Deferred: its import takes a second.
    from frontdesk.mcp.http import McpApplication
    from frontdesk.service.model_context import LOOPBACK_NAMES, ModelContextSettings

    return ModelContextSettings(McpApplication, (*LOOPBACK_NAMES, host, *names))


def _host_name(text: str) -> str:
    if not re.fullmatch(r"[A-Za-z0-9.:-]+", text) or "//" in text:
        raise click.BadParameter(f"{text!r} is no name of a host: give one, as inbox.example.com")
    return text


def _media(
    options: MediaOptions, database: str, secrets_file: str | None, workers: int
) -> "tuple[MediaFiles | None, FetchingPlan | None]":
    """Where files of messages are, and where they are fetched from; says so once.

    Raises: BadSettings: a token, an address or a directory cannot be used.
    """
    from frontdesk.service.server import FetchingPlan

    files = options.files(database)
    common, own = _provider_tokens(secrets_file)
    sources = provider_sources(common, own, network())
    if files is None:
        if sources is not None and options.media != OFF:
            raise BadSettings("Files of messages need a place: name it with --media")
        return None, None
    if sources is None:
        return files, None
    say(f"Files of messages: {place_words(files)}")
    return files, FetchingPlan(sources, options.fetching(workers))


def _readers(
    options: MediaOptions, files: "MediaFiles | None", workers: int
) -> "tuple[FileReader, ...]":
    """Readers of the words of files; says once how many run at once. Raises: BadSettings."""
    if options.media_readers is None:
        return ()
    from frontdesk.cli.reader_settings import checked_readers

    readers = checked_readers(options.media_readers)
    if files is None:
        raise BadSettings("Words are read in stored files: name their place with --media")
    at_once = ", ".join(f"{one.name} {workers * one.at_once}" for one in readers)
    say(f"Words of files are read by programs, at once at most: {at_once}")
    return readers


def _serve(
    plan: "Plan",
    listener: "Listener",
    workers: int,
    metrics: "SupervisorMetrics | None" = None,
    *more_urls: str,
) -> None:
    from frontdesk.service.server import Supervisor

    url = base_url(listener.host, listener.port, "https" if listener.certificate else "http")

    def announce() -> None:
        click.echo("\n".join([url, *more_urls]))
        sys.stdout.flush()

    def ended(pid: int, code: int | None) -> None:
        if code is not None:
            how = f"was ended by signal {-code}" if code < 0 else f"ended with exit code {code}"
            _log.warning("Worker %d %s; another is started", pid, how)
        if metrics is not None:
            metrics.ended(pid, died=code is not None)

    Supervisor(plan, listener, workers, guard=guarded, announce=announce, ended=ended).run()


@contextmanager
def _metrics(plan: "Plan", host: str, port: int) -> "Iterator[tuple[SupervisorMetrics, str]]":
    """Serve the metrics of all workers; give them and their address."""
    # Files that only their owner reads.
    with tempfile.TemporaryDirectory(prefix="frontdesk-metrics-") as directory:
        # prometheus-client looks for it when it is imported.
        os.environ["PROMETHEUS_MULTIPROC_DIR"] = directory
        from frontdesk.service.prometheus_metrics import DatabaseMetrics, SupervisorMetrics

        database = partial(
            plan.open_database,
            plan.database,
            read_target=plan.read_database,
            statement_seconds=plan.query_seconds,
        )
        metrics = SupervisorMetrics(
            DatabaseMetrics(database, epoch_milliseconds, plan.settings.media_files)
        )
        with metrics.served(host, port) as address:
            yield metrics, base_url(*address)


def _tls_files(certificate: str | None, key: str | None) -> tuple[Path, Path] | None:
    """Raises: BadSettings: they are no certificate and key that belong together."""
    if certificate is None and key is None:
        return None
    if certificate is None or key is None:
        raise click.UsageError("--tls-certificate and --tls-key need each other")
    try:
        # Without a password, OpenSSL would ask for one.
        ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER).load_cert_chain(certificate, key, password="")
    except ssl.SSLError as error:
        raise BadSettings(
            f"{certificate} and {key} are no certificate and its key without a password: "
            f"{error.reason or error}"
        ) from error
    except OSError as error:
        raise BadSettings(f"{certificate} and {key} cannot be read: {error.strerror}") from error
    return Path(certificate), Path(key)


def _check_means(workers: int, *, metrics: bool) -> None:
    """Raises: BadSettings: a dependency or system feature is missing."""
    needed = ["granian", "prometheus_client"] if metrics else ["granian"]
    # Found, not imported: prometheus-client looks at the environment when it is.
    if not all(map(find_spec, needed)):
        raise BadSettings(
            "Serving needs more than the base install: pip install 'frontdesk[serve]'"
        )
    if workers > 1 and not hasattr(os, "fork"):
        raise BadSettings("This system cannot share a port between processes: --workers 1")


def _log_target(name: str | None, *, addresses: bool) -> "LogTarget | None":
    """Raises: BadSettings: the file cannot be opened."""
    from frontdesk.service.access_log import AccessLog, LogTarget

    if name is None:
        if addresses:
            raise click.UsageError("--log-addresses needs --access-log")
        return None
    target = LogTarget(None if name == STANDARD_ERROR else name, addresses)
    try:
        AccessLog.open(target).close()
    except OSError as error:
        raise BadSettings(f"{name} cannot be written: {error.strerror}") from error
    return target


def _absolute_uri(text: str | None) -> str | None:
    if text is not None and not re.fullmatch(r"[A-Za-z][A-Za-z0-9+.-]*:[!-~]+", text):
        raise click.BadParameter("give an absolute URI, such as https://example.com/problems/")
    return text


def _proxy(text: str) -> str:
    """Return an address or a network; an IPv4-mapped IPv6 one as IPv4, as clients are."""
    try:
        network = ipaddress.ip_network(text.strip())
    except ValueError:
        raise click.BadParameter(
            f"{text!r} is no IP address or network: give one, such as 127.0.0.1 or 10.0.0.0/8"
        ) from None
    mapped = getattr(network.network_address, "ipv4_mapped", None)
    if mapped is None or network.prefixlen < _MAPPED_PREFIX:
        return str(network)
    return str(ipaddress.ip_network((mapped, network.prefixlen - _MAPPED_PREFIX)))


def worker_settings(options: WebhookOptions) -> "WorkerSettings":
    from frontdesk.ingest.idle_conversations import IdleLimit
    from frontdesk.ingest.webhooks.retention import DAY
    from frontdesk.service.webhooks.worker import WorkerSettings

    idle_limit = None
    if options.resolve_after_days is not None:
        idle_limit = IdleLimit(
            options.resolve_after_days * DAY, except_waiting=not options.resolve_waiting
        )
    return WorkerSettings(
        options.keep_webhooks_days, options.retain_revoked, idle_limit, options.admission
    )


def webhook_secrets(options: WebhookOptions, *, on_loopback: bool) -> "WebhookSecrets | None":
    """Load webhook secrets from a file or the environment; None disables webhooks.

    on_loopback: the service is reachable only from this machine. Raises: BadSettings: secrets are
    incomplete.
    """
    from frontdesk.service.webhooks.receiver import WebhookSecret, WebhookSecrets

    if options.insecure_no_signature:
        if not on_loopback:
            raise BadSettings("--insecure-no-signature is for an address of this machine alone")
        return WebhookSecrets(WebhookSecret(None, environment.webhook_secrets()[1]))
    if options.webhook_secrets is not None:
        return _from_file(options.webhook_secrets)
    app_secret, verify_token = environment.webhook_secrets()
    names = f"{environment.APP_SECRET_VARIABLE} and {environment.VERIFY_TOKEN_VARIABLE}"
    if app_secret and verify_token:
        return WebhookSecrets(WebhookSecret(app_secret, verify_token))
    if app_secret or verify_token:
        raise BadSettings(f"Webhooks need both {names}")
    return None


def _from_file(name: str) -> "WebhookSecrets":
    from frontdesk.service.webhooks.receiver import WebhookSecrets

    members, accounts = _tables(name)
    own = {slug: _secret(name, f"accounts.{slug}", pair) for slug, pair in accounts.items()}
    common = _secret(name, "the file", members) if members or not own else None
    return WebhookSecrets(common, own)


def _provider_tokens(
    name: str | None,
) -> "tuple[ProviderCredentials | None, dict[str, ProviderCredentials]]":
    """Tokens of the file of secrets: the common one, and those of accounts by slug.

    Raises: BadSettings, which quotes no value.
    """
    if name is None:
        return None, {}
    members, accounts = _tables(name)
    own = {
        slug: credentials
        for slug, pair in accounts.items()
        if (credentials := _credentials(name, f"accounts.{slug}", pair)) is not None
    }
    return _credentials(name, "the file", members), own


def _credentials(name: str, place: str, members: object) -> "ProviderCredentials | None":
    pair = members if isinstance(members, dict) else {}
    token, address = (pair.get(key) for key in _PROVIDER_MEMBERS)
    return provider_credentials(token, address, f"{name}: {place}")


def _tables(name: str) -> tuple[dict[str, Any], dict[str, Any]]:
    """Members of a file of secrets, and its table of accounts. Raises: BadSettings."""
    try:
        members = toml.loads(private_files.load_text(name))
    except ValueError:
        raise BadSettings(f"{name} is not TOML") from None
    accounts = members.pop("accounts", {})
    if not isinstance(accounts, dict):
        raise BadSettings(f"{name}: accounts is not a table")
    return members, accounts


def _secret(name: str, place: str, members: object) -> "WebhookSecret":
    """Raises: BadSettings, which quotes no value."""
    from frontdesk.service.webhooks.receiver import WebhookSecret

    needed = ("app_secret", "verify_token")
    pair = members if isinstance(members, dict) else {}
    sound = all(isinstance(pair.get(key), str) and pair[key].strip() for key in needed)
    if not sound or pair.keys() - {*needed, *_PROVIDER_MEMBERS}:
        raise BadSettings(
            f"{name}: {place} must have app_secret and verify_token, may have access_token and "
            "media_base, and no more"
        )
    return WebhookSecret(pair["app_secret"].strip(), pair["verify_token"].strip())


def _address(text: str | None) -> tuple[str, int] | None:
    """Parse HOST:PORT, with brackets around an IPv6 address."""
    if text is None:
        return None
    host, _, port = text.rpartition(":")
    host = host.removeprefix("[").removesuffix("]")
    if not host or not (re.fullmatch("[0-9]{1,5}", port) and int(port) <= 65535):
        raise click.BadParameter("give HOST:PORT, such as 127.0.0.1:8081")
    return host, int(port)
