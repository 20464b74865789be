"""What a start imports later is what it is said to be, whenever it comes."""

import hashlib
import os
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from shells import PROGRAM

from frontdesk import digest
from frontdesk.cli.opening import plainly_said

STARTED = """
import sys
from frontdesk.cli.light import lightly
with lightly():
    import frontdesk.cli.viewer
"""


def printed(program: str, **variables: str) -> str:
    command = [sys.executable, "-c", STARTED + program]
    environment = {**os.environ, **variables}
    return subprocess.run(
        command, check=True, capture_output=True, text=True, env=environment
    ).stdout.strip()


@pytest.mark.parametrize(
    "program",
    [
        "import asyncio, ssl; print(asyncio.base_events.ssl.SSLContext is ssl.SSLContext)",
        "import asyncio; print(asyncio.sslproto.SSLProtocol.__name__ == 'SSLProtocol')",
        "from textual.notifications import Notification as N;"
        " print(len(N('a').identity) == 36 and N('a').identity != N('a').identity)",
        "from fractions import Fraction; from decimal import Decimal;"
        " print(Fraction(Decimal('0.5')) == Fraction(1, 2) == Fraction(0.5))",
        "from rich.style import Style; print(Style(meta={'a': 1}).meta == {'a': 1})",
        "from rich.console import Console;"
        " print(Console().render_str('[b]x[/b]').spans[0].style == 'bold')",
        "from textual.content import Content; print(Content.from_markup('[b]x[/b]').plain == 'x')",
        "import inspect; from rich.style import Style;"
        " print('class Style' in inspect.getsource(Style))",
        "import traceback; print(traceback.format_exception_only(ValueError('x')) != [])",
        "from pathlib import Path; print(Path('/a b').as_uri() == 'file:///a%20b')",
        "import platformdirs; print(platformdirs.user_runtime_dir() != '')",
        "from textual.css.scalar import Scalar; print(str(Scalar.parse('1.5fr')) == '1.5fr')",
        "import re; print(isinstance(re.compile('a'), re.Pattern))",
        "import locale; print(locale.normalize('de_DE') == 'de_DE.ISO8859-1')",
    ],
)
def test_what_came_later_does_what_it_does_everywhere(program: str) -> None:
    assert printed(program) == "True"


def test_nothing_stands_for_a_module_when_all_is_imported() -> None:
    stands = "[n for n, m in sys.modules.items() if type(m).__module__ == 'frontdesk.cli.light']"
    assert printed(f"print({stands})") == "[]"


def test_what_cannot_be_imported_leaves_nothing_behind() -> None:
    failing = """
import re
compiler = re.compile
try:
    with lightly():
        import frontdesk.cli.nothing_of_this_name
except ImportError:
    print(re.compile is compiler, "uuid" in sys.modules)
"""
    assert printed(failing) == "True False"


def test_a_pattern_that_comes_later_is_the_pattern() -> None:
    program = """
import re
with lightly():
    late = re.compile("(a+)b", re.IGNORECASE)
    early_bound = late.match
soon = re.compile("(a+)b", re.IGNORECASE)
text = "xAAbab"
print(late.search(text).span() == soon.search(text).span(), early_bound("ab").group(1) == "a",
    late.pattern == soon.pattern, late.flags == soon.flags, late.sub("-", text) == "x--",
    late.findall(text) == soon.findall(text), early_bound("b") is None)
"""
    assert set(printed(program).split()) == {"True"}


def test_a_start_without_bytecode_compiles_everything(tmp_path: Path) -> None:
    assert printed("print(True)", PYTHONPYCACHEPREFIX=str(tmp_path)) == "True"


@given(st.binary(max_size=300))
def test_the_digest_is_that_of_openssl(data: bytes) -> None:
    assert digest.sha256(data) == hashlib.sha256(data).digest()


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ([], {}),
        (["--url", "http://x"], {"url": "http://x"}),
        (["--database", "a.db", "--as", "7"], {"database": "a.db", "user": "7"}),
        (["--profile", "a", "--profile", "b"], {"profile": "b"}),
        (["--url"], None),
        (["--url", "--as"], None),
        (["--url=http://x"], None),
        (["--debug"], None),
        (["--help"], None),
        (["demo"], None),
        (["--profile", "a", "demo"], None),
        (["--", "--url"], None),
    ],
)
def test_what_is_plainly_said(arguments: list[str], said: dict[str, str] | None) -> None:
    assert plainly_said(arguments) == said


def test_a_line_that_is_completed_is_for_click(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("_FRONTDESK_COMPLETE", "bash_source")
    assert plainly_said([]) is None


@pytest.mark.parametrize(
    ("arguments", "error"),
    [
        (["--url", "http://x", "--profile", "a"], "Say one of --url, --database and --profile"),
        (["--url", "http://x", "--as", "7"], "--url does not go with --as"),
        (["--profile", "nobody"], "There is no profile"),
    ],
)
def test_a_mistake_is_told_the_same_with_click_and_without(
    arguments: list[str], error: str, tmp_path: Path
) -> None:
    environment = {**os.environ, "XDG_CONFIG_HOME": str(tmp_path), "HOME": str(tmp_path)}
    told = []
    for line in (arguments, [f"{n}={v}" for n, v in zip(*[iter(arguments)] * 2, strict=True)]):
        done = subprocess.run([*PROGRAM, *line], capture_output=True, text=True, env=environment)
        told.append((done.returncode, done.stdout, done.stderr))
    assert told[0] == told[1]
    assert told[0][0] == 2
    assert error in told[0][2]
