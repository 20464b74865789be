"""Directory of the .tcss files: `frontdesk/styles` in a wheel, `styles/` in a checkout."""

from pathlib import Path

_PACKAGE = Path(__file__).resolve().parents[1]
_IN_WHEEL = _PACKAGE / "styles"
_IN_CHECKOUT = _PACKAGE.parents[1] / "styles"

STYLES = _IN_WHEEL if _IN_WHEEL.is_dir() else _IN_CHECKOUT
