"""Groups of actions in the help, the palette and docs/keys.md; a binding carries its own.

Keys, titles, groups and words are in `BINDINGS` of each screen or widget.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import NamedTuple

from textual.binding import Binding


@dataclass(frozen=True)
class ActionGroup(Binding.Group):
    """A group by its name; of one action, with words that find it besides its title."""

    words: str = ""

    def __call__(self, words: str) -> "ActionGroup":
        return replace(self, words=words)


# In the order of the help; in each, actions are in the order of their bindings.
GROUPS = (
    *("Move", "Triage", "Report", "Read", "Find"),
    *("Export", "Views", "Application", "Dialogs"),
)
MOVE, TRIAGE, REPORT, READ, FIND, EXPORT, VIEWS, APPLICATION, DIALOGS = map(ActionGroup, GROUPS)


def group_of(binding: Binding) -> ActionGroup:
    return binding.group if isinstance(binding.group, ActionGroup) else DIALOGS


class InboxKey(NamedTuple):
    """A key of the inbox. run: a function of `InboxParts`, or an action of Textual by its name.

    keys: with commas between. id: the name by which the configuration can change them. arguments:
    of the function, after the parts.
    """

    keys: str
    run: Callable[..., object] | str
    title: str
    id: str
    group: ActionGroup
    arguments: tuple[object, ...] = ()

    @property
    def binding(self) -> Binding:
        action = self.run
        if not isinstance(action, str):
            action = f"run({', '.join(map(repr, (action.__name__, *self.arguments)))})"
        return Binding(self.keys, action, self.title, id=self.id, group=self.group)
