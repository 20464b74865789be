"""How values travel to PostgreSQL and back, so that they are what SQLite would have given."""

from psycopg import adapters as psycopg_adapters
from psycopg import postgres
from psycopg.adapt import AdaptersMap, Buffer, Dumper, Loader
from psycopg.types.string import StrDumperUnknown


class _Flag(Dumper):
    """True and False as 1 and 0: there is no boolean column."""

    oid = postgres.types["int2"].oid

    def dump(self, obj: bool) -> Buffer | None:
        return b"1" if obj else b"0"


class _Words(StrDumperUnknown):
    """Text without NUL, which PostgreSQL cannot keep and no screen shows."""

    def dump(self, obj: str) -> Buffer | None:
        return super().dump(obj.replace("\0", "\ufffd"))


class _Number(Loader):
    """Sums of BIGINT come as numeric: whole numbers are int."""

    def load(self, data: Buffer) -> int | float:
        text = bytes(data).decode()
        return float(text) if "." in text else int(text)


def adapters() -> AdaptersMap:
    """What a connection of ours converts by."""
    ours = AdaptersMap(psycopg_adapters)
    ours.register_dumper(bool, _Flag)
    ours.register_dumper(str, _Words)
    ours.register_loader("numeric", _Number)
    return ours
