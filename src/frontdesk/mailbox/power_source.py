"""Power source of this computer: mains or battery, where the system says it."""

import subprocess
import sys
from pathlib import Path

from frontdesk.system import subprocess_environment

_SUPPLIES = Path("/sys/class/power_supply")
_TIMEOUT_SECONDS = 2.0


def on_battery(supplies: Path = _SUPPLIES) -> bool:
    """True if the computer certainly runs on its battery. Blocks for some milliseconds."""
    if sys.platform == "darwin":
        return _is_on_battery_here()
    states = [
        (_read(supply / "type"), _read(supply / "online"), _read(supply / "status"))
        for supply in (supplies.iterdir() if supplies.is_dir() else ())
        # Batteries of mice and headsets have the scope "Device".
        if _read(supply / "scope") != "Device"
    ]
    mains = any(kind != "Battery" and online == "1" for kind, online, _ in states)
    return not mains and any(status == "Discharging" for _, _, status in states)


def _read(file: Path) -> str:
    try:
        return file.read_text(encoding="utf-8").strip()
    except (OSError, ValueError):
        return ""


def _is_on_battery_here() -> bool:
    try:
        output = subprocess.run(
            ["/usr/bin/pmset", "-g", "batt"],
            capture_output=True,
            text=True,
            check=False,
            timeout=_TIMEOUT_SECONDS,
            env=subprocess_environment.allowed(),
        ).stdout
    except (OSError, subprocess.SubprocessError):
        return False
    return "'Battery Power'" in output
