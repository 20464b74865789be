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
class Agreement:
    """Secrets of one Meta app. An app_secret of None disables verification; "" matches nothing."""

    app_secret: str | None = field(repr=False)
    verify_token: str = field(default="", repr=False)

    def is_signed(self, body: bytes, signature: bytes) -> bool:
        """Verify `X-Hub-Signature-256`: "sha256=" and the hex HMAC-SHA256 of the raw body."""
        if self.app_secret is None:
            return True
        told = _SIGNATURE.fullmatch(signature)
        given = told[1].lower() if told else b""
        made = hmac.new(self.app_secret.encode(), body, hashlib.sha256).hexdigest()
        return hmac.compare_digest(made.encode(), given) and bool(self.app_secret)

    def is_verified(self, token: str) -> bool:
        """Compare in constant time with the verify token of the subscription handshake."""
        return hmac.compare_digest(self.verify_token.encode(), token.encode()) and bool(
            self.verify_token
        )


@dataclass(frozen=True, slots=True)
class Agreements:
    """Secrets per account slug, with a common default."""

    common: Agreement | None = None
    own: Mapping[str, Agreement] = field(default_factory=lambda: MappingProxyType({}))

    def of(self, slug: str) -> Agreement:
        """Return the account's secrets or the common ones; without either, ones that match
        nothing."""
        found = self.own.get(slug) or self.common
        # Random secrets keep the comparison, so that timing does not reveal which accounts exist.
        return found or Agreement(secrets.token_hex(), secrets.token_hex())
