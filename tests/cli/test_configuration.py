"""The configuration file: mistakes are reported with their line, and the rest is used."""

import tomllib
from datetime import timedelta
from pathlib import Path

import pytest
from click.testing import CliRunner
from hypothesis import given
from hypothesis import strategies as some

from frontdesk.cli.commands.config import config_group
from frontdesk.cli.config import (
    NEW_FILE,
    Configuration,
    Profile,
    line_of,
    parsed,
    read,
)
from frontdesk.cli.profiles import with_profile, with_selected, without_profile
from frontdesk.cli.target import Target, resolve
from frontdesk.errors import BadSettings
from frontdesk.system.environment import cache_limit_bytes, config_file

PATH = Path("config.toml")

WRONG = """\
profile = "wrok"

[viewer]
theme = "drak"
densty = 2
density = 5
bell = 1
cache_mb = 0

[keys]
"inbox.nxt" = "x"
"inbox.swap" = "ctrl+foo"
"inbox.next" = 7
"inbox.date" = "u"

[[views]]
name = "Billing"
query = "is:open #billing sort:waiting"
key = "8"

[[views]]
name = "Spam"
query = "is:spam #spam"
key = "8"

[[views]]
query = 7
key = "1"

[profiles.work]
url = "https://inbox.example.com"

[profiles.both]
url = "https://inbox.example.com"
database = "inbox.db"

[mirror]
keep = "most"
on_battery = 1

[alerts]
waiting = 15
quiet = "22-7 Nowhere"
"""

names = some.from_regex(r"[A-Za-z0-9_][A-Za-z0-9_-]{0,10}", fullmatch=True)
texts = some.text(min_size=1, max_size=30).filter(str.isprintable).filter(str.strip)
profiles = some.lists(
    some.builds(
        lambda name, url, address: (
            Profile(name=name, url=address) if url else Profile(name=name, database=address)
        ),
        names,
        some.booleans(),
        texts.map(str.strip),
    ),
    unique_by=lambda profile: profile.name,
    min_size=1,
    max_size=4,
)


def said(text: str) -> list[str]:
    return [str(mistake) for mistake in parsed(PATH, text).mistakes]


def test_every_mistake_is_reported_with_its_line_and_what_was_meant() -> None:
    assert said(WRONG) == [
        "line 1: there is no profile 'wrok'; did you mean 'work'?",
        "line 4: theme is 'drak': there is dark, light, high-contrast, 16-colours, greys, nord,"
        " gruvbox, dracula, tokyo-night, catppuccin-mocha, monokai, rose-pine, solarized-dark,"
        " solarized-light; did you mean 'dark'?",
        "line 5: 'densty' means nothing here; did you mean 'density'?",
        'line 6: density is 5: use "auto", 1, 2 or 3',
        "line 7: bell is 1: use true or false",
        "line 8: cache_mb is 0: use a number of MB, 1 to 1000000",
        "line 11: there is no action 'inbox.nxt'; did you mean 'inbox.next'?",
        "line 12: inbox.swap: there is no key 'ctrl+foo'",
        'line 13: inbox.next: put quotes around it: "inbox.next" = "j,ctrl+n"',
        "line 14: inbox.date: the key u is that of inbox.next_unread too",
        "line 23: query is 'is:spam #spam': is: takes open, snoozed, resolved or followup.",
        "line 24: another view has the key 8 already",
        "line 26: a view needs a name",
        "line 27: query is 7: use a text in quotes",
        "line 28: key is '1': use one of the keys 5, 6, 7, 8, 9 in quotes",
        "line 33: the profile 'both' needs either url or database",
        'line 38: keep is \'most\': use "off", "open", "all" or a number of days, as "30d"',
        "line 39: on_battery is 1: use true or false",
        'line 42: waiting is 15: use a time like "15m", "1h" or "2d", up to "30d"',
        'line 43: quiet is \'22-7 Nowhere\': use "19:00-08:30" or "19:00-08:30 Europe/London"',
    ]


def test_valid_settings_apply_despite_mistakes_elsewhere() -> None:
    configured = parsed(PATH, WRONG.replace("bell = 1", "bell = true"))
    assert configured.viewer.bell
    assert configured.viewer.theme is None
    assert configured.keys == {"inbox.date": "u"}
    (billing,) = configured.views
    assert (billing.name, billing.query, billing.key) == (
        "Billing",
        "is:open #billing sort:waiting",
        "8",
    )
    assert configured.profiles["work"].url == "https://inbox.example.com"


def test_of_two_views_with_one_name_the_second_is_a_mistake() -> None:
    views = [("Billing", "#billing"), ("billing", "#vip"), (" Billing ", "#spam")]
    text = "".join(f'[[views]]\nname = "{name}"\nquery = "{query}"\n' for name, query in views)
    (mistake,) = parsed(PATH, text).mistakes
    assert str(mistake) == "line 8: another view has the name Billing already"
    assert mistake.place == ("views", "2", "name")
    assert [view.query for view in parsed(PATH, text).views] == ["#billing", "#vip"]


def test_targets_are_times_with_a_unit_and_what_is_none_is_explained() -> None:
    configured = parsed(PATH, '[targets]\nfirst_response = "15m"\nreply = "1h"\n')
    assert configured.mistakes == ()
    assert configured.targets.first_response == timedelta(minutes=15)
    assert configured.targets.reply == timedelta(hours=1)
    wrong = '[targets]\nfirst_response = 15\nreply = "0m"\nresolution = "1d"\n'
    allowed = 'use a time like "15m", "1h" or "2d", up to "30d"'
    assert said(wrong) == [
        f"line 2: first_response is 15: {allowed}",
        f"line 3: reply is '0m': {allowed}",
        "line 4: 'resolution' means nothing here; there is first_response, reply",
    ]
    assert parsed(PATH, wrong).targets == Configuration(PATH).targets


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("a = 1\nb = = 2\n", "line 2: this is not TOML: Invalid value"),
        ("[viewer]\nbell = tru\n", "line 2: this is not TOML: Invalid value"),
        ("[viewer]\n\ntheme =", "line 3: this is not TOML: Invalid value"),
    ],
)
def test_invalid_toml_is_reported_with_its_line(text: str, words: str) -> None:
    assert said(text) == [words]


def test_a_file_that_cannot_be_read_is_a_mistake(tmp_path: Path) -> None:
    path = tmp_path / "config.toml"
    path.write_bytes(b'profile = "a"\ntheme = "\xff"\n')
    assert [str(one) for one in read(path).mistakes] == ["line 2: this is not UTF-8"]
    assert [str(one) for one in read(tmp_path).mistakes] == [
        "line 1: cannot be read: Is a directory"
    ]


def test_without_a_file_all_is_plain(tmp_path: Path) -> None:
    path = tmp_path / "config.toml"
    assert read(path) == Configuration(path)


def test_a_line_is_found_however_it_is_written() -> None:
    text = 'a = [\n 1,\n]\nviewer.bell = 3\n[profiles]\nx = { url = "y", me = 2 }\n'
    assert line_of(text, ("viewer", "bell")) == 4
    assert line_of(text, ("profiles", "x", "me")) == 6


def test_each_of_many_mistakes_has_its_line_also_beside_a_long_value(tmp_path: Path) -> None:
    long = ["theme = [", *['"x = 1",'] * 40, "]"]
    text = "\n".join(
        ["[profiles.a]", "url = 1", "[viewer]", *long, *(f"b{n} = 1" for n in range(900))]
    )
    mistakes = parsed(tmp_path / "config.toml", text).mistakes
    assert [one.line for one in mistakes] == [2, 4, *range(4 + len(long), 904 + len(long))]


def test_the_new_file_is_sound_and_every_line_that_is_off_can_be_put_on() -> None:
    assert said(NEW_FILE) == []
    settings = [line[2:] for line in NEW_FILE.splitlines() if line.startswith(("# ", '# "'))]
    on = [line for line in settings if " = " in line and not line.startswith("key_command")]
    assert len(on) == 35
    tables = {
        **{"viewer": on[1:13], "mirror": on[13:15], "alerts": on[15:21], "open": on[21:22]},
        **{"network": on[22:24], "targets": on[24:26], "keys": on[26:27]},
    }
    lines = [line for name, values in tables.items() for line in (f"[{name}]", *values)]
    viewer = "\n".join([*lines, "[[views]]", *on[27:30], "[[commands]]", *on[30:]])
    assert said(viewer) == []


@given(profiles)
def test_profiles_come_go_and_are_chosen_without_touching_the_rest(added: list[Profile]) -> None:
    mine = NEW_FILE.replace("[keys]", "# mine\n[keys]")
    text = mine
    for profile in added:
        text = with_profile(text, profile)
    text = with_selected(text, added[-1].name)
    configured = parsed(PATH, text)
    assert configured.mistakes == ()
    assert configured.profiles == {profile.name: profile for profile in added}
    assert configured.profile == added[-1].name
    for profile in added:
        text = without_profile(text, profile.name)
    assert "profiles" not in tomllib.loads(text)
    assert parsed(PATH, text).profile is None
    assert "# mine\n[keys]" in text


def test_removing_a_profile_from_an_inline_table_is_refused() -> None:
    text = 'profiles = { work = { url = "https://a" } }\n'
    with pytest.raises(BadSettings, match="only a hand"):
        without_profile(text, "work")


def test_the_comment_of_the_next_table_stays_when_a_profile_goes() -> None:
    text = '[profiles.a]\nurl = "https://a"\n\n# about b\n[profiles.b]\nurl = "https://b"\n'
    assert without_profile(text, "a") == '\n# about b\n[profiles.b]\nurl = "https://b"\n'


def test_comments_stay_when_another_profile_is_chosen_or_the_last_one_goes() -> None:
    text = 'profile = "a"  # mine\n\n[profiles.a]\nurl = "https://a"  # a\n# after a\n'
    assert with_selected(text, "b").startswith('profile = "b"  # mine\n')
    assert without_profile(text, "a") == "\n# after a\n"


def test_the_only_profile_is_in_use_and_of_several_one_is_chosen() -> None:
    one = parsed(PATH, '[profiles.a]\nurl = "https://a"\n')
    assert resolve(Target(), one) == Target(url="https://a", profile="a")
    for other in (Target(url="https://c"), Target(database="c.db")):
        assert resolve(other, one) == other
    two = parsed(PATH, '[profiles.a]\nurl = "https://a"\n[profiles.b]\ndatabase = "b.db"\n')
    with pytest.raises(BadSettings, match="No profile is in use"):
        resolve(Target(), two)
    there = resolve(Target(profile="b", user="ana"), two)
    assert there == Target(database="b.db", user="ana", profile="b")
    with pytest.raises(BadSettings, match="There is no profile 'c'; there is a, b"):
        resolve(Target(profile="c"), two)


def test_a_profile_of_a_file_that_is_not_toml_is_refused_with_the_line() -> None:
    with pytest.raises(BadSettings, match="line 1: this is not TOML"):
        resolve(Target(profile="a"), parsed(PATH, "profile"))


def test_the_size_of_the_cache_is_that_of_the_environment_or_the_file(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.delenv("FRONTDESK_CACHE_MB", raising=False)
    assert cache_limit_bytes(7) == 7_000_000
    monkeypatch.setenv("FRONTDESK_CACHE_MB", "9")
    assert cache_limit_bytes(7) == 9_000_000


def test_config_says_where_it_is_and_what_is_wrong(configuration_home: Path) -> None:
    path = configuration_home / "config.toml"
    assert config_file() == path
    runner = CliRunner()
    assert runner.invoke(config_group, ["path"]).stdout == f"{path}\n"
    assert "defaults hold" in runner.invoke(config_group, ["check"]).stdout
    path.parent.mkdir(parents=True)
    path.write_text("[viewer]\nbell = 1\n")
    checked = runner.invoke(config_group, ["check"])
    assert checked.exit_code == 1
    assert checked.stdout == f"{path}, line 2: bell is 1: use true or false\n"


def test_config_edit_makes_the_file_private_and_checks_it(
    configuration_home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("VISUAL", "true")
    edited = CliRunner().invoke(config_group, ["edit"])
    path = configuration_home / "config.toml"
    assert edited.stdout == f"{path} is all right\n"
    assert path.stat().st_mode & 0o777 == 0o600


def test_config_lists_actions_with_the_keys_they_have_now(configuration_home: Path) -> None:
    configuration_home.mkdir(parents=True)
    (configuration_home / "config.toml").write_text('[keys]\n"inbox.next" = "ctrl+n"\n')
    listed = CliRunner().invoke(config_group, ["keys"]).stdout.splitlines()
    rows = {line.split()[0]: line.split()[1] for line in listed[1:]}
    assert rows["inbox.next"] == "ctrl+n"
    assert rows["list.next"] == "j,down"


@pytest.mark.parametrize(
    ("text", "output"),
    [
        ("#" * 70_000, "line 1: this is larger than 64 KiB"),
        ("[viewer]\n" + ".".join("a" * 10_000) + " = 1", "line 2: this is not TOML: a key has"),
        ("x = " + "9" * 5_000, "line 1: this is not TOML: "),
        ("x = " + "[" * 30_000, "line 1: this is not TOML: it is nested too deeply"),
    ],
    ids=["large", "dotted", "digits", "nested"],
)
def test_a_file_that_would_be_slow_to_parse_is_reported_as_a_mistake(
    tmp_path: Path, text: str, output: str
):
    file = tmp_path / "config.toml"
    file.write_text(text)
    (mistake,) = read(file).mistakes
    assert str(mistake).startswith(output)


def test_of_very_many_mistakes_the_first_have_their_lines(tmp_path: Path):
    file = tmp_path / "config.toml"
    file.write_text("\n".join(f"x{number} = 1" for number in range(300)))
    mistakes = read(file).mistakes
    assert len(mistakes) == 300
    assert {mistake.line for mistake in mistakes} >= set(range(1, 11))


def test_the_password_of_an_address_is_not_repeated(tmp_path: Path):
    file = tmp_path / "config.toml"
    file.write_text('[profiles.work]\ndatabase = "postgresql://ana:s3cret@db/inbox\\n"')
    (mistake, *_) = read(file).mistakes
    assert "s3cret" not in str(mistake)
    assert "database is 'postgresql://ana:***@db/inbox" in str(mistake)
