"""The configuration file: mistakes are reported with their line, and the rest is used."""

import re
import tomllib
from datetime import time, timedelta
from pathlib import Path

import click
import pytest
from click.testing import CliRunner
from hypothesis import given
from hypothesis import strategies as some

from frontdesk.cli.commands.config import config_group
from frontdesk.cli.config import (
    Configuration,
    cache_limit_bytes,
    line_of,
    lines_of,
    parsed,
    read,
)
from frontdesk.cli.options import chosen_target
from frontdesk.cli.profiles import with_profile, with_selected, without_profile
from frontdesk.cli.target import (
    Target,
    database_origin,
    origin_of,
    parse_target,
    resolve,
    where,
)
from frontdesk.cli.viewer import report_mistakes
from frontdesk.errors import BadSettings
from frontdesk.settings import TABLES, AlertSettings, Profile, QuietHours, new_file, settings_of
from frontdesk.system.environment import config_file

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
        "line 4: theme is 'drak': there is auto, dark, light, high-contrast, 16-colours, greys,"
        " nord, gruvbox, dracula, tokyo-night, catppuccin-mocha, monokai, rose-pine,"
        " solarized-dark, solarized-light; did you mean 'dark'?",
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
        "line 39: 'on_battery' means nothing here; there is keep",
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
    assert said(new_file()) == []
    off = re.compile(r'# (?=\[\[|"?[a-z_.]+"? = )')
    lines = [line for line in new_file().splitlines() if not re.match("# (profile|key_c)", line)]
    text = "\n".join(off.sub("", line, count=1) for line in lines)
    assert said(text) == []
    on = tomllib.loads(text)
    assert {name: set(on[name]) for name in TABLES} == {
        name: set(settings_of(table)) for name, table in TABLES.items()
    }
    assert (len(on["keys"]), len(on["views"]), len(on["commands"])) == (1, 1, 2)


@given(profiles)
def test_profiles_come_go_and_are_chosen_without_touching_the_rest(added: list[Profile]) -> None:
    mine = new_file().replace("[keys]", "# mine\n[keys]")
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
    # `tail` and `doctor` read no keys of the viewer, but the same settings.
    settings = parsed(PATH, "[viewer]\ncache_mb = 7", whole=False).viewer
    assert cache_limit_bytes(settings) == 7_000_000
    monkeypatch.setenv("FRONTDESK_CACHE_MB", "9")
    assert cache_limit_bytes(settings) == 9_000_000


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


def test_config_show_prints_what_is_in_force_without_passwords(configuration_home: Path) -> None:
    path = configuration_home / "config.toml"
    path.parent.mkdir(parents=True)
    path.write_text(
        "[viewer]\nbell = true\ndensity = 9\n"
        '[network]\nproxy = "http://ana:s3cret@proxy.example.com:3128"\n'
    )
    shown = CliRunner().invoke(config_group, ["show"]).stdout
    lines = shown.splitlines()
    assert {"bell = true", '# density = "auto"', "# mouse = true"} <= {*lines}
    assert '# waiting = "15m"  # not set; an example' in lines
    assert "s3cret" not in shown
    assert "proxy = " in shown
    assert parsed(PATH, shown).viewer.bell
    assert parsed(PATH, shown).mistakes == ()


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


@pytest.mark.parametrize(
    ("line", "value"),
    [
        ('density = "auto"', 0),
        ("density = 1", 1),
        ("density = 3", 3),
        ('mark_read_after = "open"', "open"),
        ('mark_read_after = "never"', "never"),
        ("mark_read_after = 0", 0.0),
        ("mark_read_after = 0.5", 0.5),
        ("mark_read_after = 3600", 3600.0),
        ("cache_mb = 1", 1),
        ("cache_mb = 1000000", 1_000_000),
        ("media_mb = 1", 1),
        ('picture_lines = "auto"', 0),
        ("picture_lines = 4", 4),
        ("picture_lines = 40", 40),
        ('pictures = "kitty"', "kitty"),
        ("quiet_unfocused = true", True),
        ("mouse = false", False),
        ('theme = "nord"', "nord"),
    ],
)
def test_a_setting_of_the_viewer_is_read(line: str, value: object) -> None:
    configured = parsed(PATH, f"[viewer]\n{line}\n")
    assert configured.mistakes == ()
    assert getattr(configured.viewer, line.partition(" ")[0]) == value


@pytest.mark.parametrize(
    ("table", "line", "allowed"),
    [
        ("viewer", "density = 0", 'use "auto", 1, 2 or 3'),
        ("viewer", "density = 4", 'use "auto", 1, 2 or 3'),
        ("viewer", "density = true", 'use "auto", 1, 2 or 3'),
        ("viewer", "mark_read_after = -1", 'use "open", "never" or seconds up to 3600'),
        ("viewer", "mark_read_after = 3601", 'use "open", "never" or seconds up to 3600'),
        ("viewer", "mark_read_after = true", 'use "open", "never" or seconds up to 3600'),
        ("viewer", "mark_read_after = nan", 'use "open", "never" or seconds up to 3600'),
        ("viewer", "cache_mb = 1000001", "use a number of MB, 1 to 1000000"),
        ("viewer", "media_mb = 0", "use a number of MB, 1 to 1000000"),
        ("viewer", 'media_mb = "9"', "use a number of MB, 1 to 1000000"),
        ("viewer", "picture_lines = 3", 'use "auto" or a number of lines, 4 to 40'),
        ("viewer", "picture_lines = 41", 'use "auto" or a number of lines, 4 to 40'),
        ("viewer", "picture_lines = true", 'use "auto" or a number of lines, 4 to 40'),
        ("viewer", 'pictures = "small"', 'use "auto", "large", "blocks", "kitty", "off"'),
        ("alerts", 'waiting = "31d"', 'use a time like "15m", "1h" or "2d", up to "30d"'),
        ("alerts", 'waiting = "1w"', 'use a time like "15m", "1h" or "2d", up to "30d"'),
        ("alerts", 'quiet = "19:00-19:00"', 'use "19:00-08:30" or'),
        ("alerts", 'quiet = "19:00Z-20:00"', 'use "19:00-08:30" or'),
        ("alerts", 'quiet = "19:00-20:00+01:00"', 'use "19:00-08:30" or'),
        ("alerts", 'quiet = "19:00"', 'use "19:00-08:30" or'),
        ("alerts", 'quiet = "19:00-20:00 Nowhere"', 'use "19:00-08:30" or'),
        ("network", 'ca_file = "a.pem"', "use a path that begins with / or ~"),
        ("network", 'ca_file = " "', "use a text in quotes"),
        ("network", "proxy = 1", 'use an address in quotes, or "" for none'),
    ],
)
def test_a_value_that_is_not_allowed_is_said_and_the_default_holds(
    table: str, line: str, allowed: str
) -> None:
    configured = parsed(PATH, f"[{table}]\n{line}\n")
    (mistake,) = configured.mistakes
    name = line.partition(" ")[0]
    assert (mistake.line, mistake.place) == (2, (table, name))
    assert mistake.words.startswith(name)
    assert allowed in mistake.words
    member = "network_settings" if table == "network" else table
    assert getattr(configured, member) == getattr(Configuration(PATH), member)


def test_alerts_are_set_by_their_table() -> None:
    text = """\
[alerts]
mine = true
waiting = "30d"
window = "90s"
quiet = "19:00-08:30 Europe/London"
terminal = true
"""
    assert parsed(PATH, text).alerts == AlertSettings(
        mine=True,
        waiting=timedelta(days=30),
        window=timedelta(seconds=90),
        quiet=QuietHours(time(19), time(8, 30), "Europe/London"),
        terminal=True,
    )
    nothing = parsed(PATH, "").alerts
    assert nothing == AlertSettings()
    assert (nothing.mine, nothing.terminal) == (False, False)


def test_addresses_are_read_without_blanks_around_them() -> None:
    text = """\
[network]
proxy = " http://proxy.example.com:3128 "
ca_file = " /etc/ca.pem "
"""
    configured = parsed(PATH, text)
    assert configured.mistakes == ()
    assert configured.network.proxy == "http://proxy.example.com:3128"
    assert configured.network.ca_file == "/etc/ca.pem"
    assert parsed(PATH, '[network]\nproxy = ""\n').network.proxy == ""


def test_the_address_of_a_proxy_is_not_repeated_and_never_falls_back_to_a_default() -> None:
    configured = parsed(PATH, '[network]\nproxy = "ftp://ana:s3cret@proxy"\n[viewer]\nbell = 1\n')
    assert "s3cret" not in str(configured.mistakes)
    with pytest.raises(BadSettings, match=r"^config\.toml, line 2: proxy"):
        _ = configured.network
    assert parsed(PATH, "[viewer]\nbell = 1\n").network == Configuration(PATH).network
    with pytest.raises(BadSettings, match="line 1: this is not TOML"):
        _ = parsed(PATH, "x").network


def test_a_file_without_lists_has_none() -> None:
    for text in ("", "views = []\ncommands = []\n", "views = 1", "commands = 1", "views = [1]"):
        configured = parsed(PATH, text)
        assert (configured.views, configured.commands, configured.keys) == ((), (), {})
    assert said("views = 1") == ["line 1: views is not a list of tables: write [[views]]"]
    assert said("viewer = 1") == ["line 1: viewer is not a table: write [viewer]"]
    assert said("[profiles]\na = 1\n") == [
        "line 2: a is not a table: write [profiles.a]",
        "line 2: the profile 'a' needs either url or database",
    ]


@pytest.mark.parametrize("is_trusted", [True, False])
def test_without_commands_it_is_no_matter_who_can_change_the_file(is_trusted: bool) -> None:
    configured = parsed(PATH, "[viewer]\nbell = true\n", is_trusted=is_trusted)
    assert (configured.mistakes, configured.commands) == ((), ())


def test_keys_views_and_commands_are_left_out_where_they_are_not_needed() -> None:
    text = """\
[viewer]
bell = 1
[keys]
"inbox.nxt" = "x"
[[views]]
name = 1
[[commands]]
name = 1
[profiles.a]
url = "https://a"
theme = "drak"
[mirror]
keep = "most"
"""
    configured = parsed(PATH, text, whole=False)
    assert [mistake.place for mistake in configured.mistakes] == [
        ("viewer", "bell"),
        ("profiles", "a", "theme"),
        ("mirror", "keep"),
    ]
    assert configured.profiles["a"].url == "https://a"
    assert len(said(text)) == 7
    assert said("profiles = 1") == ["line 1: profiles is not a table: write [profiles]"]
    assert parsed(PATH, "profiles = 1", whole=False).profiles == {}
    assert parsed(PATH, "[profiles]\na = 1", whole=False).mistakes


def test_a_profile_with_a_mistake_is_refused_only_if_nothing_says_where_it_is() -> None:
    text = """\
[profiles.a]
url = "https://a"
me = 1
[profiles.b]
url = 7
[profiles."c d"]
url = "https://c"
"""
    configured = parsed(PATH, text)
    assert [*configured.profiles] == ["a", "b"]
    assert (configured.named("a").url, configured.named("a").user) == ("https://a", None)
    with pytest.raises(BadSettings, match=r"^config\.toml, line 5: url is 7: use a text in quotes"):
        configured.named("b")
    assert str(configured.mistakes[-1]) == "line 6: 'c d' is no name: letters, digits, - and _ are"
    assert Configuration(PATH).in_use is None


@pytest.mark.parametrize(
    ("name", "is_name"),
    [
        ("a", True),
        ("A_9-z", True),
        ("-a", False),
        ("a" * 40, True),
        ("a" * 41, False),
        ("é", False),
    ],
)
def test_a_profile_is_named_by_up_to_40_letters_and_digits(name: str, is_name: bool) -> None:
    configured = parsed(PATH, f'[profiles."{name}"]\nurl = "https://a"\n')
    assert (name in configured.profiles) == is_name == (not configured.mistakes)


def test_a_long_value_is_repeated_in_part() -> None:
    (whole,) = said(f'[viewer]\npictures = "{"x" * 98}"\n')
    assert f"pictures is '{'x' * 98}': use" in whole
    (cut,) = said(f'[viewer]\npictures = "{"x" * 99}"\n')
    assert f"pictures is '{'x' * 99}…: use" in cut


def test_the_largest_file_has_64_kib(tmp_path: Path) -> None:
    file = tmp_path / "config.toml"
    file.write_text("#" * 65_535 + "\n")
    assert read(file) == Configuration(file)
    file.write_text("#" * 65_536 + "\n")
    assert [str(one) for one in read(file).mistakes] == ["line 1: this is larger than 64 KiB"]


def test_each_place_has_the_line_that_defines_it_first() -> None:
    text = """\
# a comment
profile = "a"

[viewer]
theme = [
  "a",
]
bell = true
[profiles.a]
url = "x"
[profiles.b]
network = { proxy = "", ca_file = "x" }
alerts.mine = true
[[views]]
name = "1"
[[views]]

name = "2"
"""
    assert lines_of(text) == {
        (): 1,
        ("profile",): 2,
        ("viewer",): 4,
        ("viewer", "theme"): 5,
        ("viewer", "bell"): 8,
        ("profiles",): 9,
        ("profiles", "a"): 9,
        ("profiles", "a", "url"): 10,
        ("profiles", "b"): 11,
        ("profiles", "b", "network"): 12,
        ("profiles", "b", "network", "proxy"): 12,
        ("profiles", "b", "network", "ca_file"): 12,
        ("profiles", "b", "alerts"): 13,
        ("profiles", "b", "alerts", "mine"): 13,
        ("views",): 14,
        ("views", "0"): 14,
        ("views", "0", "name"): 15,
        ("views", "1"): 16,
        ("views", "1", "name"): 18,
    }
    assert line_of(text, ("viewer", "missing", "deep")) == 4
    assert line_of(text, ("missing",)) == 1


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("profile = 1", "line 1: there is no profile 1"),
        ('profile = "a"', "line 1: there is no profile 'a'"),
        (
            'profile = "x"\n[profiles.a]\nurl = "https://a"',
            "line 1: there is no profile 'x'; there is a",
        ),
    ],
)
def test_a_profile_that_is_selected_has_to_be_there(text: str, words: str) -> None:
    assert said(text) == [words]
    assert parsed(PATH, text).profile is None


@pytest.mark.parametrize(
    "options",
    [
        {"url": "https://a", "database": "a.db"},
        {"url": "https://a", "profile": "a"},
        {"database": "a.db", "profile": "a"},
    ],
)
def test_only_one_place_can_be_named(options: dict[str, str]) -> None:
    with pytest.raises(BadSettings, match="Use only one of --url, --database and --profile"):
        parse_target(**options)


def test_a_place_and_a_user_are_a_target() -> None:
    assert parse_target() == Target()
    assert parse_target(url="https://a") == Target(url="https://a")
    assert parse_target(database="a.db", user="ana") == Target(database="a.db", user="ana")
    assert parse_target(profile="a", user="ana") == Target(profile="a", user="ana")
    with pytest.raises(BadSettings, match="--url does not go with --as"):
        parse_target(url="https://a", user="ana")


def test_the_user_is_the_one_who_is_named_or_that_of_the_profile() -> None:
    text = """\
profile = "here"
[profiles.here]
database = "a.db"
me = "bo"
[profiles.there]
url = "https://a"
"""
    configured = parsed(PATH, text)
    assert resolve(Target(), configured) == Target(None, "a.db", "bo", "here")
    assert resolve(Target(user="ana"), configured) == Target(None, "a.db", "ana", "here")
    assert resolve(Target(profile="there"), configured) == Target("https://a", profile="there")
    with pytest.raises(BadSettings, match="a server knows “me” by the API key"):
        resolve(Target(profile="there", user="ana"), configured)
    for place in (Target(database="b.db", user="ana"), Target(url="https://c", profile="there")):
        assert resolve(place, configured) == place
    assert resolve(Target(user="ana"), Configuration(PATH)) == Target(user="ana")


def test_a_cache_is_of_a_server_and_key_or_a_database_and_user(tmp_path: Path) -> None:
    key = "fdk_secret"
    origins = {origin_of("https://a", key), origin_of("https://a//", key)}
    assert len(origins) == 1
    (origin,) = origins
    assert re.fullmatch("https://a [0-9a-f]{16}", origin)
    assert origin_of("https://a", "fdk_other") != origin
    path = tmp_path / "inbox.db"
    assert database_origin(str(path), None) == f"{path} "
    assert database_origin(str(path), 7) == f"{path} 7"
    address = database_origin("postgresql://ana:s3cret@db/inbox", 7)
    assert address.endswith("@db/inbox 7")
    assert "s3cret" not in address


def test_a_profile_is_shown_without_its_password() -> None:
    assert where(Profile(name="a", url="https://a")) == "https://a"
    assert where(Profile(name="a", database="a.db")) == "a.db"
    shown = where(Profile(name="a", database="postgresql://ana:s3cret@db/inbox"))
    assert shown.endswith("@db/inbox")
    assert "s3cret" not in shown


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("", '\n[profiles.b]\nurl = "https://b"\n'),
        ("[viewer]\nbell = true", '[viewer]\nbell = true\n\n[profiles.b]\nurl = "https://b"\n'),
        ("[viewer]\n", '[viewer]\n\n[profiles.b]\nurl = "https://b"\n'),
    ],
)
def test_a_profile_is_added_below_everything_else(before: str, after: str) -> None:
    assert with_profile(before, Profile(name="b", url="https://b", theme="nord")) == after


def test_a_profile_is_added_below_the_others_where_it_can_be_chosen_and_removed() -> None:
    views = '\n# my views\n\n[[views]]\nname = "Mine"\nquery = "@me"\n'
    first = 'profile = "a"\n\n[profiles.a]\nurl = "https://a"\n'
    after = with_profile(f"{first}{views}", Profile(name="b", url="https://b"))
    assert after == f'{first}\n[profiles.b]\nurl = "https://b"\n{views}'
    assert with_selected(after, "b") == after.replace('profile = "a"', 'profile = "b"')
    assert without_profile(after, "b") == f"{first}\n{views}"


def test_a_profile_is_added_at_the_end_where_a_list_looks_like_a_table() -> None:
    text = '[profiles.a]\nurl = "https://a"\nmore = [\n[1],\n]\n'
    added = with_profile(text, Profile(name="b", url="https://b"))
    assert added == f'{text}\n[profiles.b]\nurl = "https://b"\n'


def test_all_that_a_profile_is_opened_with_is_written() -> None:
    profile = Profile(name="b", database="b.db", user="ana", key_command=("pass", "a b"))
    assert with_profile("", profile) == (
        '\n[profiles.b]\ndatabase = "b.db"\nme = "ana"\nkey_command = ["pass", "a b"]\n'
    )


def test_a_profile_that_goes_takes_its_lines_and_is_not_in_use_any_more() -> None:
    text = """\
profile = "a"
[profiles.a]
# mine
url = "https://a"
key_command = [
  "pass",
]
[profiles.b]
url = "https://b"
[viewer]
bell = true
"""
    assert without_profile(text, "a") == (
        '[profiles.b]\nurl = "https://b"\n[viewer]\nbell = true\n'
    )
    assert without_profile(text, "b") == text.replace('[profiles.b]\nurl = "https://b"\n', "")
    assert with_selected("", "b") == 'profile = "b"\n'
    assert with_selected(text, "b") == text.replace('profile = "a"', 'profile = "b"')


@pytest.mark.parametrize(
    ("behind", "before", "variables", "target"),
    [
        ({}, {}, {}, Target()),
        ({"database": "a.db"}, {}, {"URL": "https://a"}, Target(database="a.db")),
        ({}, {"database": "a.db"}, {"URL": "https://a"}, Target(database="a.db")),
        ({"database": "a.db"}, {"database": "b.db"}, {}, Target(database="a.db")),
        ({"user": "ana"}, {"database": "a.db"}, {}, Target(database="a.db", user="ana")),
        ({"user": "ana"}, {}, {"DATABASE": " a.db "}, Target(database="a.db", user="ana")),
        ({}, {"user": "ana"}, {"DATABASE": "a.db"}, Target(database="a.db", user="ana")),
        ({}, {}, {"URL": " ", "PROFILE": "a"}, Target(profile="a")),
        ({}, {}, {"URL": "https://a"}, Target(url="https://a")),
    ],
)
def test_a_target_is_named_behind_a_command_or_before_it_or_by_a_variable(
    behind: dict[str, str],
    before: dict[str, str],
    variables: dict[str, str],
    target: Target,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for name in ("URL", "DATABASE", "PROFILE"):
        monkeypatch.delenv(f"FRONTDESK_{name}", raising=False)
    for name, value in variables.items():
        monkeypatch.setenv(f"FRONTDESK_{name}", value)
    root = click.Context(click.Group("frontdesk"))
    root.params = {**before}
    context = click.Context(click.Command("counts"), parent=root)
    context.params = {"database": "not this"}
    given = {name: behind.get(name) for name in ("url", "database", "user", "profile")}
    assert chosen_target(context, given) == target


def test_a_command_alone_has_no_options_before_it(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("URL", "DATABASE", "PROFILE"):
        monkeypatch.delenv(f"FRONTDESK_{name}", raising=False)
    alone = click.Context(click.Command("counts"))
    alone.params = {"database": "a.db"}
    nothing = dict.fromkeys(("url", "database", "user", "profile"))
    assert chosen_target(alone, nothing) == Target()


def test_two_variables_are_one_too_many(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FRONTDESK_URL", "https://a")
    monkeypatch.setenv("FRONTDESK_DATABASE", "a.db")
    monkeypatch.delenv("FRONTDESK_PROFILE", raising=False)
    context = click.Context(click.Command("counts"))
    nothing = dict.fromkeys(("url", "database", "user", "profile"))
    words = "FRONTDESK_URL and FRONTDESK_DATABASE are set: keep one of them, or give an option"
    with pytest.raises(BadSettings, match=words):
        chosen_target(context, nothing)


def test_mistakes_are_printed_with_the_file_and_returned_for_the_viewer(
    capsys: pytest.CaptureFixture[str],
) -> None:
    configured = parsed(PATH, "[viewer]\nbell = 3\nmouse = 4\n")
    shown = report_mistakes(configured)
    lines = ("line 2: bell is 3: use true or false", "line 3: mouse is 4: use true or false")
    assert shown == tuple(f"{PATH.name}, {line}" for line in lines)
    printed = capsys.readouterr().err
    assert printed == "".join(f"frontdesk: {PATH}, {line}\n" for line in lines)
