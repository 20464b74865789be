"""psycopg adapters that make PostgreSQL accept and return the same values as SQLite."""

from psycopg import adapters as psycopg_adapters
from psycopg import postgres
from psycopg.adapt import AdaptersMap, Buffer, Dumper, Loader
from psycopg.types.string import StrDumperUnknown


class _Flag(Dumper):
    """Dumps bool as 1 or 0: the schema has no boolean columns."""

    oid = postgres.types["int2"].oid

    def dump(self, obj: bool) -> Buffer | None:
        return b"1" if obj else b"0"


class _Words(StrDumperUnknown):
    """Dumps str without NUL, which PostgreSQL text cannot contain."""

    def dump(self, obj: str) -> Buffer | None:
        return super().dump(obj.replace("\0", "\ufffd"))


class _Number(Loader):
    """Loads numeric, the type of sums of BIGINT, as int if integral."""

    def load(self, data: Buffer) -> int | float:
        text = bytes(data).decode()
        return float(text) if "." in text else int(text)


def adapters() -> AdaptersMap:
    """Return the adapters of a connection."""
    ours = AdaptersMap(psycopg_adapters)
    ours.register_dumper(bool, _Flag)
    ours.register_dumper(str, _Words)
    ours.register_loader("numeric", _Number)
    return ours
