"""The name of the computer's time zone."""

import pytest

from frontdesk.system.environment import zone_name


@pytest.mark.parametrize(
    ("variable", "name"),
    [
        ("Europe/Madrid", "Europe/Madrid"),
        (":America/Sao_Paulo", "America/Sao_Paulo"),
        ("Etc/UTC", "UTC"),
        ("Mars/Base", None),
        ("../../etc/passwd", None),
    ],
)
def test_a_variable_names_the_zone(
    monkeypatch: pytest.MonkeyPatch, variable: str, name: str | None
) -> None:
    monkeypatch.setenv("TZ", variable)
    assert zone_name() == name
