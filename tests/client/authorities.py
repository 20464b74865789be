"""Certificate authorities and servers with TLS, made for a test."""

import ssl
from datetime import UTC, datetime, timedelta
from pathlib import Path

import trustme


class Authority:
    """An authority; `file` has its certificate."""

    def __init__(self, directory: Path, name: str = "authority") -> None:
        self._ca = trustme.CA()
        self.file = directory / f"{name}.pem"
        self._ca.cert_pem.write_to_path(str(self.file))

    def server(self, *names: str, days: int = 2, since_days: int = -2) -> ssl.SSLContext:
        """The TLS of a server with a certificate that is good for these days."""
        now = datetime.now(UTC)
        certificate = self._ca.issue_cert(
            *names,
            not_before=now + timedelta(days=since_days),
            not_after=now + timedelta(days=days),
        )
        tls = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        certificate.configure_cert(tls)
        return tls

    def server_file(self, path: Path, *names: str) -> None:
        """Write the key and the certificate of a server to a file, as programs read them."""
        self._ca.issue_cert(*names).private_key_and_cert_chain_pem.write_to_path(str(path))
