"""The packages: complete, described, and usable outside the checkout."""

import subprocess
import sys
import tarfile
import tomllib
import zipfile
from email import message_from_bytes
from importlib.metadata import requires
from pathlib import Path

import pytest
from packaging.requirements import Requirement

from tests.packages import lowest

ROOT = Path(__file__).resolve().parents[1]


# What a base install brings, with what that brings in turn.
NAMED = {
    "anyio": {"idna", "sniffio", "typing-extensions"},
    "click": {"colorama"},
    "httpx": {"anyio", "certifi", "h11", "httpcore", "idna", "sniffio"},
    "orjson": set(),
    "phonenumberslite": set(),
    "pillow": set(),
    "platformdirs": set(),
    "pydantic": {"annotated-types", "pydantic-core", "typing-extensions", "typing-inspection"},
    "pydantic-core": {"typing-extensions"},
    "rich": {"markdown-it-py", "mdurl", "pygments"},
    "starlette": {"anyio"},
    "textual": {
        *("markdown-it-py", "mdit-py-plugins", "mdurl", "linkify-it-py", "uc-micro-py"),
        *("platformdirs", "pygments", "rich"),
    },
    "tinytag": set(),
    "tomlkit": set(),
    "truststore": set(),
    "tzdata": set(),
}
EXTRAS = {
    "holidays": {"holidays"},
    "keyring": {"keyring"},
    "postgres": {"psycopg", "psycopg-pool"},
    "serve": {"granian", "prometheus-client", "tzdata"},
    "web": {"aiohttp", "textual-serve"},
}


def run(*command: str, cwd: Path) -> str:
    """Standard output of a program that must succeed."""
    done = subprocess.run(command, cwd=cwd, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def sdist(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The sdist; the wheel that was made from it lies beside it.

    Built without a network: the build's own requirements are those of the tests.
    """
    out = tmp_path_factory.mktemp("packages")
    build = (sys.executable, "-m", "build", "--no-isolation", "--outdir", str(out))
    run(*build, str(ROOT), cwd=out)
    (path,) = out.glob("*.tar.gz")
    return path


@pytest.fixture(scope="module")
def wheel(sdist: Path) -> Path:
    (path,) = sdist.parent.glob("*.whl")
    return path


@pytest.fixture(scope="module")
def installed(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A directory with nothing but what the wheel brings."""
    target = tmp_path_factory.mktemp("installed")
    pip = (sys.executable, "-m", "pip", "--disable-pip-version-check", "--no-input")
    options = ("install", "--quiet", "--no-deps", "--no-index", "--target", str(target))
    run(*pip, *options, str(wheel), cwd=target)
    return target


def test_a_package_index_accepts_the_description_of_both_packages(sdist: Path, wheel: Path) -> None:
    twine = (sys.executable, "-m", "twine", "check", "--strict", str(sdist), str(wheel))
    assert run(*twine, cwd=sdist.parent).count("PASSED") == 2


def test_the_sdist_carries_the_tests_and_all_documents(sdist: Path) -> None:
    with tarfile.open(sdist) as archive:
        names = {name.partition("/")[2] for name in archive.getnames()}
    documents = {path.relative_to(ROOT).as_posix() for path in (ROOT / "docs").glob("*.md")}
    assert documents
    assert {"README.md", "LICENSE", "tests/conftest.py"} | documents <= names


def test_the_wheel_carries_styles_schema_and_types(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        names = set(archive.namelist())
    styles = {f"frontdesk/styles/{path.name}" for path in (ROOT / "styles").glob("*.tcss")}
    assert styles
    assert styles | {"frontdesk/store/schema.sql", "frontdesk/py.typed"} <= names


def test_the_wheel_carries_every_module_and_nothing_else(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        names = {name for name in archive.namelist() if name.endswith(".py")}
    package = ROOT / "src"
    modules = package.joinpath("frontdesk").rglob("*.py")
    assert names == {path.relative_to(package).as_posix() for path in modules}


def test_installed_it_finds_its_own_styles_and_schema(installed: Path, tmp_path: Path) -> None:
    program = f"""
import sys
sys.path.insert(0, {str(installed)!r})
import frontdesk
from importlib.resources import files
from frontdesk.tui.app import FrontdeskApp
from frontdesk.tui.theme import STYLES
print(frontdesk.__file__)
print(STYLES, STYLES.is_dir())
print(files("frontdesk.store").joinpath("schema.sql").is_file())
print(all(path.is_file() for path in FrontdeskApp.CSS_PATH))
"""
    package, styles, schema, loaded = run(
        sys.executable, "-P", "-c", program, cwd=tmp_path
    ).splitlines()
    assert Path(package) == installed / "frontdesk" / "__init__.py"
    assert styles == f"{installed / 'frontdesk' / 'styles'} True"
    assert schema == loaded == "True"


def test_installed_it_names_its_version(installed: Path, tmp_path: Path) -> None:
    program = f"import sys; sys.path.insert(0, {str(installed)!r}); sys.argv = ['frontdesk', "
    program += "'--version']; from frontdesk.cli import main; main()"
    said = run(sys.executable, "-P", "-c", program, cwd=tmp_path)
    assert said.startswith("frontdesk, version ") or said.startswith("frontdesk ")


@pytest.fixture(scope="module")
def requirements(wheel: Path) -> list[Requirement]:
    """What the wheel says that it needs."""
    with zipfile.ZipFile(wheel) as archive:
        (name,) = (name for name in archive.namelist() if name.endswith(".dist-info/METADATA"))
        metadata = message_from_bytes(archive.read(name))
    return [Requirement(line) for line in metadata.get_all("Requires-Dist", [])]


def test_a_base_install_needs_what_is_named_and_each_extra_its_own(
    requirements: list[Requirement],
) -> None:
    named: dict[str, set[str]] = {}
    for one in requirements:
        extra = next((name for name in EXTRAS if f'extra == "{name}"' in str(one.marker)), "")
        if "extra ==" not in str(one.marker) or extra:
            named.setdefault(extra, set()).add(one.name)
    assert named == {"": set(NAMED), **EXTRAS}


def test_the_base_install_brings_only_the_named_packages(
    requirements: list[Requirement],
) -> None:
    waiting = [one for one in requirements if one.name in NAMED and _is_base(one)]
    brought: set[str] = set()
    while waiting:
        one = waiting.pop()
        name = one.name.lower().replace("_", "-")
        if name not in brought:
            brought.add(name)
            for line in requires(name) or ():
                asked = Requirement(line)
                if any(_is_base(asked, extra) for extra in one.extras or {""}):
                    waiting.append(asked)
    assert brought <= set(NAMED).union(*NAMED.values())


def test_every_library_is_tried_on_its_lowest_version_by_tests_that_exist() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    named = {one.name for one in lowest.requirements(project)}
    assert {pin.partition("==")[0] for pin in lowest.lowest(project)} == named
    assert [path for path in lowest.TESTS if not exists(path)] == []


def exists(test: str) -> bool:
    """Check that there is a file of tests, or the test of it that is named."""
    path, _, name = test.partition("::")
    return (ROOT / path).is_file() and f"def {name}" in (ROOT / path).read_text("utf-8")


def _is_base(one: Requirement, extra: str = "") -> bool:
    """Whether a requirement holds on this system, with no extra or that one."""
    return one.marker is None or one.marker.evaluate({"extra": extra})
