"""Files of messages in a bucket of S3, or of a server with its interface; the extra `s3`.

Which keys, region and endpoint are used is told by variables named AWS_*, or by the role of the
machine (https://developmentseed.org/obstore/latest/authentication/). Several machines may share a
bucket: a file has its name by its bytes.
"""

import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

import obstore
from obstore.exceptions import (
    BaseError,
    PermissionDeniedError,
    UnauthenticatedError,
)
from obstore.store import S3Store

from frontdesk.store.incoming_files import (
    LEAST_FREE_BYTES,
    FilesUnusable,
    IncomingFile,
    abandoned,
    disk_errors,
    receiving,
    require_room,
)
from frontdesk.store.media_files import (
    FileDeleted,
    MediaFiles,
    distinct_digests,
    object_name,
)

if TYPE_CHECKING:
    from obstore.store import ClientConfig, RetryConfig

_LISTED_AT_ONCE = 1_000
_INCOMING = "frontdesk-incoming-"
_TIMEOUT = timedelta(seconds=20)
_CONNECT_TIMEOUT = timedelta(seconds=5)
# A request of the interface waits for it.
_RETRY: "RetryConfig" = {"max_retries": 2, "retry_timeout": timedelta(seconds=10)}


class OpenObject:
    """A stored file, read by ranges. One that is deleted meanwhile is FileDeleted."""

    chunk_bytes = 1_048_576

    def __init__(self, bucket: "MediaBucket", name: str, size: int) -> None:
        self._bucket = bucket
        self._name = name
        self.size = size

    def read(self, place: int, length: int) -> bytes:
        length = min(length, self.size - place)
        return self._bucket.read(self._name, place, length) if length > 0 else b""

    def close(self) -> None:
        pass


class MediaBucket(MediaFiles):
    """Files below a prefix of a bucket; received ones lie in the temporary directory first."""

    erasure_note = "If the bucket keeps versions of deleted files, delete those too"
    # Each takes a request.
    deleted_at_once = 10

    def __init__(
        self, address: str, *, least_free_bytes: int = LEAST_FREE_BYTES, allow_http: bool = False
    ) -> None:
        """address: `s3://bucket/prefix`. allow_http: also use an endpoint without TLS.

        least_free_bytes: free space of the disk of the temporary directory below which nothing is
        received.
        """
        self._address = address
        self._allow_http = allow_http
        self._least_free_bytes = least_free_bytes

    @cached_property
    def _store(self) -> S3Store:
        """Connects on first use: threads of a client do not survive a fork."""
        client: ClientConfig = {
            "timeout": _TIMEOUT,
            "connect_timeout": _CONNECT_TIMEOUT,
            "allow_http": self._allow_http,
        }
        with self._usable():
            return S3Store.from_url(self._address, client_options=client, retry_config=_RETRY)

    @property
    def place(self) -> str:
        return self._address

    def free_bytes(self) -> None:
        return None

    @contextmanager
    def receive(self, account_id: int, most_bytes: int) -> Iterator[IncomingFile]:
        temporary = Path(tempfile.gettempdir())

        def upload(incoming: IncomingFile) -> None:
            name = object_name(account_id, incoming.digest)
            with self._usable():
                obstore.put(self._store, name, incoming.path)

        with disk_errors(temporary):
            require_room(temporary, self._least_free_bytes)
            with (
                tempfile.TemporaryDirectory(prefix=_INCOMING) as folder,
                receiving(Path(folder) / "file", most_bytes, upload) as incoming,
            ):
                yield incoming

    def size(self, account_id: int, digest: str) -> int | None:
        return self._size(object_name(account_id, digest))

    def _size(self, name: str) -> int | None:
        with self._usable():
            try:
                return obstore.head(self._store, name)["size"]
            except FileNotFoundError:
                self._require_bucket()
                return None

    def _require_bucket(self) -> None:
        """A missing bucket answers as a missing file does. Raises: BaseError."""
        next(iter(obstore.list(self._store, "0", chunk_size=1)), None)

    def open(self, account_id: int, digest: str, *, preview: bool = False) -> OpenObject | None:
        name = object_name(account_id, digest, preview=preview)
        size = self._size(name)
        return None if size is None else OpenObject(self, name, size)

    def read(self, name: str, start: int, length: int) -> bytes:
        """Read a part of an object, which has these bytes. Raises: FileDeleted."""
        with self._usable():
            try:
                return bytes(obstore.get_range(self._store, name, start=start, length=length))
            except FileNotFoundError as error:
                self._require_bucket()
                words = f"A file of {self._address} was deleted while it was read"
                raise FileDeleted(words) from error

    def save_preview(self, account_id: int, digest: str, content: bytes) -> None:
        with self._usable():
            obstore.put(self._store, object_name(account_id, digest, preview=True), content)

    def delete(self, account_id: int, digest: str) -> None:
        names = [object_name(account_id, digest, preview=preview) for preview in (False, True)]
        with self._usable():
            obstore.delete(self._store, names)

    def digests(self, account_id: int) -> Iterator[str]:
        yield from distinct_digests(self._names(f"{account_id}/"))

    def _names(self, prefix: str) -> Iterator[str]:
        with self._usable():
            for page in obstore.list(self._store, prefix, chunk_size=_LISTED_AT_ONCE):
                for each in page:
                    yield each["path"].rpartition("/")[2]

    def sweep(self) -> int:
        temporary = Path(tempfile.gettempdir())
        count = 0
        with disk_errors(temporary):
            for folder in abandoned(temporary.glob(f"{_INCOMING}*")):
                shutil.rmtree(folder, ignore_errors=True)
                count += 1
        return count

    @contextmanager
    def _usable(self) -> Iterator[None]:
        """Raises: FilesUnusable: in place of errors of the client, which quote requests."""
        try:
            yield
        except (PermissionDeniedError, UnauthenticatedError) as error:
            message = f"{self._address} refuses the keys of AWS_* or of this machine"
            raise FilesUnusable(message) from error
        except FileNotFoundError as error:
            raise FilesUnusable(f"{self._address}: there is no such bucket") from error
        except BaseError as error:
            raise FilesUnusable(f"{self._address} cannot be reached, or answers errors") from error
