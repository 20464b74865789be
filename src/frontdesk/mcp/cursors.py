"""Short names of places in lists and threads, which live as long as the process."""

from collections import OrderedDict
from typing import Generic, TypeVar

from mcp.server.mcpserver.exceptions import ToolError

P = TypeVar("P")

MOST = 1_000


class Cursors(Generic[P]):
    """LRU of places by short names: c1, c2. Each is bound to the selection that it is of."""

    def __init__(self, most: int = MOST) -> None:
        self._most = most
        self._count = 0
        self._places: OrderedDict[str, tuple[str, P]] = OrderedDict()

    def name(self, place: P, of: str) -> str:
        """Return a name for a place. of: identifies the selection."""
        self._count += 1
        name = f"c{self._count}"
        self._places[name] = of, place
        if len(self._places) > self._most:
            self._places.popitem(last=False)
        return name

    def place(self, name: str, of: str) -> P:
        """Return a place by its name. Raises: ToolError: unknown, or of another selection."""
        if name not in self._places:
            raise ToolError(f"There is no cursor {name[:20]!r} any more: begin again without one.")
        bound, place = self._places[name]
        if bound != of:
            raise ToolError(
                f"The cursor {name} is of another call: repeat that with the same arguments, or"
                " leave the cursor out."
            )
        self._places.move_to_end(name)
        return place
