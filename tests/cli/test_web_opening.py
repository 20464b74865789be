"""The link is not on the command line of the browser, which other users can read."""

import json
import os
import stat
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

BROWSER = """
import json, sys
from pathlib import Path
from urllib.parse import urlsplit
from urllib.request import url2pathname

page = Path(url2pathname(urlsplit(sys.argv[2]).path))
modes = [page.stat().st_mode, page.parent.stat().st_mode]
opening = {"arguments": sys.argv, "page": page.read_text(encoding="utf-8"), "modes": modes}
Path(sys.argv[1]).write_text(json.dumps(opening), encoding="utf-8")
"""


@pytest.fixture
def marker(tmp_path: Path) -> Path:
    """File in which the fake browser records its arguments."""
    path = tmp_path / "marker"
    os.mkfifo(path)
    return path


@pytest.fixture
def web(tmp_path: Path, path: Path, marker: Path) -> Iterator["subprocess.Popen[str]"]:
    script = tmp_path / "browser.py"
    script.write_text(BROWSER, encoding="utf-8")
    process = subprocess.Popen(
        [sys.executable, "-m", "frontdesk", "web", "--database", str(path), "--open"],
        env={
            **os.environ,
            "BROWSER": f"{sys.executable} {script} {marker} %s &",
        },
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    yield process
    process.kill()
    process.communicate()


def test_the_token_is_in_a_private_file_and_in_no_list_of_processes(
    web: "subprocess.Popen[str]", marker: Path
):
    assert web.stdout is not None
    link = web.stdout.readline().strip()
    token = link.partition("token=")[2]
    assert token
    found = json.loads(marker.read_text(encoding="utf-8"))
    assert token not in " ".join(found["arguments"])
    assert f'content="0; url={link}"' in found["page"]
    assert [stat.S_IMODE(mode) for mode in found["modes"]] == [0o600, 0o700]
    page = Path(found["arguments"][2].removeprefix("file://"))
    web.terminate()
    web.communicate()
    assert not page.exists()
