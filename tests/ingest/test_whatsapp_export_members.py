"""Files inside of an exported chat's zip: found by the chat's names, read within limits."""

import unicodedata
import zipfile
from pathlib import Path

import pytest

from frontdesk.errors import UnusableFile
from frontdesk.ingest.whatsapp_export.members import ZipMembers


def archive(path: Path, **members: bytes) -> Path:
    with zipfile.ZipFile(path, "w") as written:
        for name, content in members.items():
            written.writestr(name, content)
    return path


@pytest.fixture
def members(tmp_path: Path) -> ZipMembers:
    contents = {
        "WhatsApp Chat/00000012-PHOTO-2024-03-14-09-26-53.jpg": b"photo",
        "IMG-20240314-WA0001.JPG": b"upper case",
        unicodedata.normalize("NFD", "Übersicht größe.pdf"): b"decomposed",
        "a/dup.jpg": b"one",
        "b/dup.jpg": b"two",
        "a/same.jpg": b"same",
        "b/same.jpg": b"same",
    }
    path = archive(tmp_path / "chat.zip", **contents)
    # Zips of old phones hold UTF-8 without saying so.
    raw = path.read_bytes()
    name = "Факт.pdf".encode()
    with zipfile.ZipFile(path, "a") as written:
        written.writestr("x" * len(name), b"unmarked")
    raw = path.read_bytes().replace(b"x" * len(name), name)
    path.write_bytes(raw)
    return ZipMembers(path)


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("\u200e00000012-PHOTO-2024-03-14-09-26-53.jpg", b"photo"),
        ("IMG-20240314-WA0001.jpg", b"upper case"),
        ("Übersicht größe.pdf", b"decomposed"),
        ("Факт.pdf", b"unmarked"),
        ("same.jpg", b"same"),
        ("dup.jpg", None),
        ("missing.jpg", None),
        ("a/dup.jpg", None),
    ],
)
def test_a_file_is_found_in_all_forms_of_its_name(
    members: ZipMembers, name: str, content: bytes | None
) -> None:
    with members:
        member = members.find(name)
        assert (b"".join(members.read(member)) if member else None) == content


def test_a_member_that_unpacks_to_far_more_than_its_size_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "bomb.zip"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as written:
        written.writestr("bomb.jpg", b"\0" * 50_000_000)
    with ZipMembers(path) as members, pytest.raises(UnusableFile, match="far more"):
        for _ in members.read("bomb.jpg"):
            pass


def test_a_damaged_member_and_a_damaged_archive_are_said(tmp_path: Path) -> None:
    path = archive(tmp_path / "chat.zip", **{"a.jpg": b"a picture" * 100})
    whole = path.read_bytes()
    path.write_bytes(whole.replace(b"a picture", b"another p", 1))
    with ZipMembers(path) as members, pytest.raises(UnusableFile, match="damaged"):
        list(members.read("a.jpg"))
    path.write_bytes(whole[:40])
    with pytest.raises(UnusableFile):
        ZipMembers(path)
