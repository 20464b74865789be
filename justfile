# The usual commands; `just` lists them. Everything that a change must pass: `just ci`.

_default:
    @just --list

# Make the environment
setup:
    python3 -m venv .venv
    .venv/bin/pip install -q -e '.[test]'

# Open the viewer on the sample inbox
demo:
    .venv/bin/frontdesk demo

# Run the tests, or some of them: just test tests/service
test *arguments="-n auto":
    .venv/bin/pytest {{ arguments }}

# Run the slow tests: faults, kills, load, pictures, a browser
slow *arguments="-n auto":
    .venv/bin/pytest -m slow {{ arguments }}

# Check style, types and imports
check:
    .venv/bin/ruff check .
    .venv/bin/ruff format --check .
    .venv/bin/mypy
    .venv/bin/lint-imports

# Format the code
format:
    .venv/bin/ruff check --fix .
    .venv/bin/ruff format .

# Rewrite the pictures and the lists of the documents
refresh:
    .venv/bin/pytest tests/tui -m "" --update-screenshots
    .venv/bin/pytest tests/test_documents.py --update-documents

# Measure rows of the tables of docs/performance.md: just bench start
bench program *options:
    .venv/bin/python -m tests.bench {{ program }} {{ options }}

# Write man pages: man -l man/frontdesk-conversations-list.1
man directory="man":
    .venv/bin/python -m tests.man_pages {{ directory }}

# Build the packages, check their metadata, install them in clean environments
packages *arguments:
    .venv/bin/python -m tests.packages install {{ arguments }}

# Run tests on the lowest versions of libraries that are allowed
lowest:
    .venv/bin/python -m tests.packages lowest

# Everything that a change must pass, from a bare machine
ci:
    .ci/run
