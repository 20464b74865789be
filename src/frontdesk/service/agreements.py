"""What is agreed on with Meta: by which secret bodies are signed, which token opens the door."""

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
    """One app of Meta's. app_secret None: signatures are not looked at. Empty texts fit nothing."""

    app_secret: str | None = field(repr=False)
    verify_token: str = field(default="", repr=False)

    def is_signed(self, body: bytes, signature: bytes) -> bool:
        """Whether the value of `X-Hub-Signature-256` is that of these very bytes."""
        if self.app_secret is None:
            return True
        told = _SIGNATURE.fullmatch(signature)
        given = told[1].lower() if told else b""
        made = hmac.new(self.app_secret.encode(), body, hashlib.sha256).hexdigest()
        return hmac.compare_digest(made.encode(), given) and bool(self.app_secret)

    def is_verified(self, token: str) -> bool:
        """Whether this is the verify token."""
        return hmac.compare_digest(self.verify_token.encode(), token.encode()) and bool(
            self.verify_token
        )


@dataclass(frozen=True, slots=True)
class Agreements:
    """The agreement for all accounts, and those of accounts that have their own, by slug."""

    common: Agreement | None = None
    own: Mapping[str, Agreement] = field(default_factory=lambda: MappingProxyType({}))

    def of(self, slug: str) -> Agreement:
        """The agreement for an account; one that nothing fits where there is none."""
        found = self.own.get(slug) or self.common
        # Compared all the same, so that the time taken does not tell which accounts there are.
        return found or Agreement(secrets.token_hex(), secrets.token_hex())
