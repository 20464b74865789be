"""Files of messages: from this computer at once, else from the server, once."""

import asyncio
from collections.abc import Callable
from pathlib import Path
from typing import BinaryIO

import pytest

from frontdesk.cache.kept_files import KeptFiles
from frontdesk.errors import FileUnavailable, NotOffered, Unreachable
from frontdesk.mailbox.media import MessageFiles


class Server:
    """Gives out files by key and, for previews, width; error: what it answers in their place."""

    def __init__(self, **files: bytes) -> None:
        self.files, self.error = files, FileUnavailable("Gone", status="expired")
        self.asked: list[tuple[str, int | None]] = []
        self.away = False

    async def save(
        self,
        key: str,
        file: BinaryIO,
        *,
        most_bytes: int,
        width: int | None = None,
        progress: Callable[[int], object] = lambda size: None,
    ) -> None:
        self.asked.append((key, width))
        await asyncio.sleep(0)
        if self.away:
            raise Unreachable("No answer")
        if key not in self.files:
            raise self.error
        file.write(self.files[key])
        progress(len(self.files[key]))


@pytest.fixture
def kept(tmp_path: Path) -> KeptFiles:
    return KeptFiles(tmp_path / "media", most_bytes=1_000_000)


async def test_a_file_is_fetched_once_and_is_there_without_the_server(kept: KeptFiles) -> None:
    server = Server(one=b"a photo")
    files, sizes = MessageFiles(kept, server.save), list[int]()
    assert files.kept("one") is None
    paths = await asyncio.gather(files.file("one", sizes.append), files.file("one"))
    assert [path.read_bytes() for path in paths] == [b"a photo"] * 2
    server.away = True
    assert (await MessageFiles(kept, server.save).file("one")).read_bytes() == b"a photo"
    assert server.asked == [("one", None)]
    assert sizes == [7]


async def test_a_preview_is_asked_for_in_small_and_the_file_where_there_is_none(
    kept: KeptFiles,
) -> None:
    server = Server(one=b"small")
    files = MessageFiles(kept, server.save)
    assert (await files.preview("one")).read_bytes() == b"small"
    assert files.kept("one") is None
    server.error = FileUnavailable("No preview", status="preview")
    with pytest.raises(FileUnavailable):
        await files.preview("two")
    assert server.asked == [("one", 480), ("two", 480), ("two", None)]


async def test_what_the_server_has_erased_is_deleted_here(kept: KeptFiles) -> None:
    server = Server(one=b"a photo")
    files = MessageFiles(kept, server.save)
    await files.preview("one")
    server.files, server.error = {}, FileUnavailable("Deleted", status="removed")
    with pytest.raises(FileUnavailable):
        await files.file("one")
    assert files.kept("one", preview=True) is None


@pytest.mark.parametrize(("status", "times"), [("expired", 1), ("refused", 1), ("pending", 2)])
async def test_what_does_not_come_any_more_is_asked_for_once(
    kept: KeptFiles, status: str, times: int
) -> None:
    server = Server()
    server.error = FileUnavailable("It is not there", status=status)
    files = MessageFiles(kept, server.save)
    for _ in range(2):
        with pytest.raises(FileUnavailable):
            await files.file("one")
    assert len(server.asked) == times


async def test_a_server_without_files_has_none_of_any_message(kept: KeptFiles) -> None:
    async def lacking(key: str, file: BinaryIO, **options: object) -> None:
        raise NotOffered("There is no such path")

    with pytest.raises(FileUnavailable) as raised:
        await MessageFiles(kept, lacking).file("one")
    assert raised.value.status == "failed"


async def test_a_server_that_is_away_is_asked_again(kept: KeptFiles) -> None:
    server = Server(one=b"a photo")
    server.away = True
    files = MessageFiles(kept, server.save)
    with pytest.raises(Unreachable):
        await files.file("one")
    server.away = False
    assert (await files.file("one")).read_bytes() == b"a photo"
