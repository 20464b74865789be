"""The keys that the inbox's status line names, as the reader has them."""

from collections.abc import Mapping, Sequence

from textual.keys import format_key

# What is named, and by which actions it is made: as many as there are keys in it.
_ACTIONS: Mapping[str, tuple[str, ...]] = {
    "j/k": ("list.next", "list.previous"),
    "J/K": ("inbox.next", "inbox.previous"),
    "[ ]": ("inbox.before", "inbox.after"),
    "↵": ("list.open",),
    "/": ("inbox.find",),
    "2": ("pane.list",),
    "f": ("inbox.filter",),
    "i": ("inbox.contact",),
    "t": ("inbox.date",),
    "u": ("inbox.next_unread",),
    "v": ("view.menu",),
    "y": ("inbox.copy",),
    "esc": ("inbox.back",),
    "?": ("inbox.help",),
}


def as_mapped(hints: Sequence[str], keys: Mapping[str, str]) -> Sequence[str]:
    """Hints such as "j/k move" with the keys that these actions have instead of their own."""
    return [_as_mapped(hint, keys) for hint in hints] if keys else hints


def _as_mapped(hint: str, keys: Mapping[str, str]) -> str:
    named = next((one for one in _ACTIONS if hint.startswith(f"{one} ")), "")
    actions = _ACTIONS.get(named, ())
    if not any(action in keys for action in actions):
        return hint
    between = "/" if "/" in named[1:] else " "
    own = named.split(between) if len(actions) > 1 else [named]
    shown = [
        _shown(keys[action]) if action in keys else key
        for action, key in zip(actions, own, strict=True)
    ]
    return between.join(shown) + hint.removeprefix(named)


def _shown(keys: str) -> str:
    """The first of an action's keys, as help shows it."""
    *modifiers, key = keys.partition(",")[0].split("+")
    ctrl = "^" if "ctrl" in modifiers else ""
    rest = [modifier for modifier in modifiers if modifier != "ctrl"]
    return "+".join([*rest, f"{ctrl}{format_key(key)}"])
