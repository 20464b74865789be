"""Webhook options of `frontdesk serve`, and loading of webhook secrets."""

import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import wraps
from typing import TYPE_CHECKING, Any, TypeVar

import click

from frontdesk import settings, toml
from frontdesk.cli.options import admission_options
from frontdesk.cli.private import private_text
from frontdesk.errors import BadSettings
from frontdesk.ingest.jobs import DEFAULT_DAYS

if TYPE_CHECKING:
    from frontdesk.ingest.admission import Admission
    from frontdesk.service.webhooks.secrets import WebhookSecret, WebhookSecrets
    from frontdesk.service.webhooks.worker import WorkerSettings

F = TypeVar("F", bound=Callable[..., object])


@dataclass(frozen=True, slots=True)
class Order:
    """Webhook options. webhooks: separate address, None to share that of `/v1`."""

    webhooks: tuple[str, int] | None
    secrets_file: str | None
    unsigned: bool
    keep_days: int
    retain_revoked: bool
    resolve_after_days: int | None
    resolve_waiting: bool
    admission: "Admission"


def receiving_options(command: F) -> Callable[..., object]:
    """Add the options that make up the command's `order` argument."""

    @admission_options
    @wraps(command)
    def ordered(
        *,
        webhooks: tuple[str, int] | None,
        webhook_secrets: str | None,
        insecure_no_signature: bool,
        keep_webhooks_days: int,
        retain_revoked: bool,
        resolve_after_days: int | None,
        resolve_waiting: bool,
        admission: "Admission",
        **others: Any,
    ) -> object:
        order = Order(
            webhooks,
            webhook_secrets,
            insecure_no_signature,
            keep_webhooks_days,
            retain_revoked,
            resolve_after_days,
            resolve_waiting,
            admission,
        )
        return command(order=order, **others)

    options = (
        click.option(
            "--webhooks",
            metavar="HOST:PORT",
            callback=lambda context, option, text: _address(text),
            help="Receive WhatsApp's webhooks at an address of their own.",
        ),
        click.option(
            "--webhook-secrets",
            metavar="FILE",
            help="App secrets and verify tokens, in TOML; readable by its owner alone.",
        ),
        click.option(
            "--insecure-no-signature",
            is_flag=True,
            help="Take webhooks without a signature, on this machine alone: for trying things out.",
        ),
        click.option(
            "--keep-webhooks-days",
            type=click.IntRange(1, 3650),
            default=DEFAULT_DAYS,
            show_default=True,
            help="How long bodies of webhooks are kept once they are applied.",
        ),
        click.option(
            "--retain-revoked",
            is_flag=True,
            help="Leave in the bodies that are kept what a customer deleted for everyone.",
        ),
        click.option(
            "--resolve-after-days",
            type=click.IntRange(1, 3650),
            help="Resolve conversations that were silent for so long; otherwise none is.",
        ),
        click.option(
            "--resolve-waiting/--resolve-unless-waiting",
            default=True,
            show_default=True,
            help="Resolve them also where a customer waits for an answer, or not.",
        ),
    )
    for option in reversed(options):
        ordered = option(ordered)
    return ordered


def worker_settings(order: Order) -> "WorkerSettings":
    """Return the settings of the background worker."""
    from frontdesk.ingest.jobs import DAY, Silence
    from frontdesk.service.webhooks.worker import WorkerSettings

    silence = None
    if order.resolve_after_days is not None:
        silence = Silence(order.resolve_after_days * DAY, but_waiting=not order.resolve_waiting)
    return WorkerSettings(order.keep_days, order.retain_revoked, silence, order.admission)


def webhook_secrets(order: Order, *, on_loopback: bool) -> "WebhookSecrets | None":
    """Load webhook secrets from a file or the environment; None disables webhooks.

    on_loopback: the webhook address is reachable only from this machine. Raises: BadSettings:
    secrets are incomplete, or missing although webhooks were requested.
    """
    from frontdesk.service.webhooks.secrets import WebhookSecret, WebhookSecrets

    if order.unsigned:
        if not on_loopback:
            raise BadSettings("--insecure-no-signature is for an address of this machine alone")
        return WebhookSecrets(WebhookSecret(None, settings.webhook_secrets()[1]))
    if order.secrets_file is not None:
        return _from_file(order.secrets_file)
    app_secret, verify_token = settings.webhook_secrets()
    names = f"{settings.APP_SECRET_VARIABLE} and {settings.VERIFY_TOKEN_VARIABLE}"
    if app_secret and verify_token:
        return WebhookSecrets(WebhookSecret(app_secret, verify_token))
    if app_secret or verify_token:
        raise BadSettings(f"Webhooks need both {names}")
    if order.webhooks is not None:
        raise BadSettings(
            f"Webhooks cannot be received without secrets: set {names}, or give --webhook-secrets"
        )
    return None


def _from_file(name: str) -> "WebhookSecrets":
    from frontdesk.service.webhooks.secrets import WebhookSecrets

    try:
        members = toml.loads(private_text(name))
    except ValueError:
        raise BadSettings(f"{name} is not TOML") from None
    accounts = members.pop("accounts", {})
    if not isinstance(accounts, dict):
        raise BadSettings(f"{name}: accounts is not a table")
    own = {slug: _secret(name, f"accounts.{slug}", pair) for slug, pair in accounts.items()}
    common = _secret(name, "the file", members) if members or not own else None
    return WebhookSecrets(common, own)


def _secret(name: str, place: str, members: object) -> "WebhookSecret":
    """Raises: BadSettings, which quotes no value."""
    from frontdesk.service.webhooks.secrets import WebhookSecret

    needed = ("app_secret", "verify_token")
    pair = members if isinstance(members, dict) else {}
    sound = all(isinstance(pair.get(key), str) and pair[key].strip() for key in needed)
    if not sound or len(pair) != len(needed):
        raise BadSettings(f"{name}: {place} must have app_secret and verify_token, and no more")
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
