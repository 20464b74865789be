"""An inbox of any size, made up: as unevenly spread as real ones are."""

from frontdesk.ingest.crowd.places import named
from frontdesk.ingest.crowd.play import portions
from frontdesk.ingest.crowd.shape import Size

__all__ = ["Size", "named", "portions"]
