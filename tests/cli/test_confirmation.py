"""What cannot be undone is asked for on a terminal, and needs --yes elsewhere."""

import io

import click
import pytest

from frontdesk.cli.options import confirm


class Typed(io.StringIO):
    """What somebody types."""

    def isatty(self) -> bool:
        return True


@pytest.mark.parametrize("answer", ["y\n", "yes\n", "Y\n"])
def test_a_yes_goes_on(answer: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stdin", typed := Typed(answer))
    confirm("Erase it?", yes=False)
    assert typed.read() == ""


@pytest.mark.parametrize("answer", ["n\n", "\n", "no\n", ""])
def test_anything_else_ends_it(answer: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stdin", Typed(answer))
    with pytest.raises(click.Abort):
        confirm("Erase it?", yes=False)


def test_with_yes_nothing_is_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stdin", typed := Typed("n\n"))
    confirm("Erase it?", yes=True)
    assert typed.read() == "n\n"


def test_a_program_has_to_confirm_beforehand(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stdin", io.StringIO("y\n"))
    with pytest.raises(click.UsageError, match=r"^Erase it\? Confirm with --yes$"):
        confirm("Erase it?", yes=False)
