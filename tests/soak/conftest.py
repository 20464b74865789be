import pytest

from tests.soak.sandbox import sample


@pytest.fixture(scope="session", autouse=True)
def made_sample() -> None:
    """Make the sample before the first test, whose own time is limited."""
    sample()
