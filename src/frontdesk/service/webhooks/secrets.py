"""Webhook secrets: HMAC app secret and verify token, for all accounts or per account."""

import hashlib
import hmac
import re
import secrets
from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType

_SIGNATURE = re.compile(rb"sha256=([0-9a-f]{64})", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class WebhookSecret:
    """Secrets of one Meta app. An app_secret of None disables verification; "" matches nothing."""

    app_secret: str | None = field(repr=False)
    verify_token: str = field(default="", repr=False)

    def verify_signature(self, body: bytes, signature: bytes) -> bool:
        """Verify `X-Hub-Signature-256`: "sha256=" and the hex HMAC-SHA256 of the raw body."""
        if self.app_secret is None:
            return True
        match = _SIGNATURE.fullmatch(signature)
        claimed = match[1].lower() if match else b""
        digest = hmac.new(self.app_secret.encode(), body, hashlib.sha256).hexdigest()
        return hmac.compare_digest(digest.encode(), claimed) and bool(self.app_secret)

    def matches_token(self, token: str) -> bool:
        """Compare in constant time with the verify token of the subscription handshake."""
        return hmac.compare_digest(self.verify_token.encode(), token.encode()) and bool(
            self.verify_token
        )


@dataclass(frozen=True, slots=True)
class WebhookSecrets:
    """Secrets per account slug, with a common default."""

    common: WebhookSecret | None = None
    own: Mapping[str, WebhookSecret] = field(default_factory=lambda: MappingProxyType({}))

    def for_account(self, slug: str) -> WebhookSecret:
        """Return the account's secrets or the common ones; without either, ones that match
        nothing."""
        secret = self.own.get(slug) or self.common
        # Random secrets keep the comparison, so that timing does not reveal which accounts exist.
        return secret or WebhookSecret(secrets.token_hex(), secrets.token_hex())
