"""Fills a new store with a crowd: one process makes up the rows, the other puts them in."""

import gc
import multiprocessing
import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from multiprocessing.connection import Connection as Pipe

from frontdesk.errors import UnusableFile
from frontdesk.ingest import crowd
from frontdesk.ingest.apply import apply_events
from frontdesk.ingest.crowd import Size
from frontdesk.ingest.harvest import Harvest
from frontdesk.store import changes
from frontdesk.store.database import FillingConnection
from frontdesk.store.ids import Ids
from frontdesk.store.loading import Packed, filled, put

ACCOUNT = 1

# What a process sends to the other: rows, and at the end the last ids that were given out.
_Sent = list[Packed] | dict[str, int]


def fill(
    target: str, size: Size, advance: Callable[[int], object], stage: Callable[[str], None]
) -> None:
    """Make a store at `target` with an inbox of that size in the account "default".

    `advance` is told how many more conversations are in, `stage` what is done after them.

    Raises: BadSettings: there is something already. UnusableFile, Unreachable.
    """
    with filled(target, stage) as connection, _made(size) as sent:
        named = list(crowd.named(size.until))
        apply_events(connection, ACCOUNT, named, now=size.until)
        for portion in sent:
            if isinstance(portion, dict):
                _keep_ids(connection, portion)
                continue
            for packed in portion:
                put(connection, packed)
                if packed[0] == "conversation":
                    advance(len(packed[1]))
        changes.raise_revision(connection, ACCOUNT)


def rows(size: Size) -> Iterator[list[Packed] | dict[str, int]]:
    """Every row but those of the catalogue, portion by portion, and last the ids given out."""
    harvest = Harvest(ACCOUNT, list(crowd.named(size.until)), size.until)
    for events in crowd.portions(size):
        yield list(harvest.take(events))
    yield list(harvest.sums())
    yield dict(harvest.last_ids())


def _keep_ids(connection: FillingConnection, last: dict[str, int]) -> None:
    ids = Ids(connection, ACCOUNT)
    for kind, value in last.items():
        ids.skip(kind, value)
    ids.save()


@contextmanager
def _made(size: Size) -> Iterator[Iterator[_Sent]]:
    """What another process makes, as it comes. It ends with the context."""
    context = multiprocessing.get_context("spawn")
    receiver, sender = context.Pipe(duplex=False)
    maker = context.Process(target=_make, args=(sender, size), daemon=True)
    maker.start()
    sender.close()
    try:
        yield _received(receiver)
    finally:
        receiver.close()
        maker.terminate()
        maker.join()
        maker.close()


def _received(receiver: Pipe) -> Iterator[_Sent]:
    """Raises: UnusableFile: the other process ended before it was done."""
    try:
        while True:
            portion: _Sent = receiver.recv()
            yield portion
            if isinstance(portion, dict):
                return
    except EOFError as error:
        raise UnusableFile("The sample could not be made: its process ended") from error


def _make(sender: Pipe, size: Size) -> None:
    """The other process. Who interrupts the program ends it by ending the first."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    # What is made is sent and forgotten, without ever going in circles.
    gc.disable()
    for portion in rows(size):
        sender.send(portion)
