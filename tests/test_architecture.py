"""Rules for the code as a whole, besides the import contracts."""

import ast
import re
from pathlib import Path

import pytest

import frontdesk.wire.envelopes
import frontdesk.wire.resources as resources
from frontdesk.tui.app import FrontdeskApp
from frontdesk.tui.reports.screen import ReportScreen
from frontdesk.tui.setup_form import ConnectApp
from frontdesk.tui.theme import STYLES
from frontdesk.tui.views.catalogue_screen import CatalogueScreen
from frontdesk.wire import Wire
from tests.source_trees import MODULES, ROOT, nodes_of, tree_of

INLINE_STYLES = {"CSS", "DEFAULT_CSS"}

# What the interface says it does not have, anywhere or on a conversation.
NOWHERE = {"priority", "typing", "contact_inbox", "contact_inbox_id", "account_id", "private"}
NOT_ON_A_CONVERSATION = {"team", "team_id", "custom_fields", "custom_attributes", "pending"}


def named(path: Path) -> str:
    return str(path.relative_to(ROOT))


def wire_models() -> list[type[Wire]]:
    modules = (resources, frontdesk.wire.envelopes)
    values = [value for module in modules for value in vars(module).values()]
    models = {one for one in values if isinstance(one, type) and issubclass(one, Wire)}
    return sorted(models, key=lambda model: model.__name__)


def test_every_module_opens_with_one_sentence_that_says_what_it_is_for() -> None:
    missing = []
    for path in MODULES:
        words = ast.get_docstring(tree_of(path)) or ""
        first, *rest = words.splitlines() or [""]
        if not first.endswith(".") or (rest and rest[0]):
            missing.append(named(path))
    assert missing == []


def test_no_module_begins_with_a_question_word() -> None:
    words = ("What ", "Whether ", "How ", "Who ", "Where ", "Which ")
    docstrings = {path: ast.get_docstring(tree_of(path)) for path in MODULES}
    assert [
        named(path) for path, text in docstrings.items() if (text or "").startswith(words)
    ] == []


MOST_METHODS = 40


def test_no_class_has_more_methods_than_a_reader_can_hold() -> None:
    numbers = {
        f"{named(path)}: {node.name}": sum(
            isinstance(member, ast.FunctionDef | ast.AsyncFunctionDef) for member in node.body
        )
        for path in MODULES
        for node in nodes_of(path)
        if isinstance(node, ast.ClassDef)
    }
    assert {name: number for name, number in numbers.items() if number > MOST_METHODS} == {}


def test_only_the_first_frame_is_decided_without_clicks_parser() -> None:
    """The crash report names the command; the others' processes are no commands."""
    readers = {named(path) for path in MODULES if "sys.argv" in path.read_text("utf-8")}
    places = ("__init__.py", "crash_report.py", "demo_data.py")
    assert readers == {
        *(f"src/frontdesk/cli/{place}" for place in places),
        "src/frontdesk/service/media/limits.py",
    }


STARTS = ("Popen", "check_call", "check_output", "create_subprocess_exec", "subprocess_exec")
# These start programs with all variables.
OPENERS = ("os.system", "os.startfile", "click.edit", "click.launch", "webbrowser.open")


def test_every_program_is_started_with_an_environment_of_its_own() -> None:
    without = [
        f"{named(path)}, line {node.lineno}"
        for path in MODULES
        for node in nodes_of(path)
        if isinstance(node, ast.Call)
        and (name := ast.unparse(node.func))
        and (name == "subprocess.run" or name.endswith(STARTS) or name in OPENERS)
        and "env" not in [keyword.arg for keyword in node.keywords]
    ]
    assert without == []


def test_no_source_refers_to_a_document_outside_the_repository() -> None:
    outside = re.compile(
        r"contract [0-9E]|reports [0-9]\.|\brules? R[0-9]|\bCLIENT-[0-9]|faults [0-9]"
    )
    assert [named(path) for path in MODULES if outside.search(path.read_text("utf-8"))] == []


def test_styles_are_in_stylesheets() -> None:
    found = []
    for path in MODULES:
        for node in ast.walk(tree_of(path)):
            targets = node.targets if isinstance(node, ast.Assign) else []
            targets += [node.target] if isinstance(node, ast.AnnAssign) else []
            names = {target.id for target in targets if isinstance(target, ast.Name)}
            found += [f"{named(path)}:{node.lineno}" for _ in names & INLINE_STYLES]
    assert found == []


def test_every_stylesheet_is_loaded() -> None:
    # Views bring their own, when they are first opened.
    parts = (FrontdeskApp, ReportScreen, CatalogueScreen, ConnectApp)
    paths = [path for part in parts for path in part.CSS_PATH]
    loaded = {Path(path).name for path in paths}
    assert loaded == {path.name for path in STYLES.glob("*.tcss")}


@pytest.mark.parametrize("model", wire_models(), ids=lambda model: model.__name__)
def test_no_field_is_named_after_what_does_not_exist(model: type[Wire]) -> None:
    assert not model.model_fields.keys() & NOWHERE


def test_a_conversation_has_neither_a_team_nor_fields_of_its_own() -> None:
    assert not resources.Conversation.model_fields.keys() & NOT_ON_A_CONVERSATION
