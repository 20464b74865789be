"""Pictures of the demo: what customers of a shop send photos of, as WebP in `photos/`."""

from collections.abc import Mapping
from importlib.resources import files

# In the order of their numbers, which ids of the demo's files contain.
MOTIFS = (
    *("mirror", "parcel", "size-label", "receipt", "tracking"),
    *("screen", "living-room", "swatches", "doorstep", "sticker"),
)
_BY_NAME: Mapping[str, str] = {
    "tracking": "tracking",
    "seguimiento": "tracking",
    "rastreio": "tracking",
    "doorstep": "doorstep",
    "card": "size-label",
    "living-room": "living-room",
    "sala": "living-room",
    "window": "living-room",
    "box": "parcel",
    "pallet": "parcel",
    "roto": "mirror",
    "roto-2": "parcel",
    "receipt": "receipt",
    "error": "screen",
    "erro": "screen",
    "swatches": "swatches",
}


def motif_number(file_name: str) -> int:
    """Number of the motif that a script calls `photo.jpg`; that of a sticker is the last."""
    motif = _BY_NAME.get(file_name.partition(".")[0])
    return MOTIFS.index(motif) if motif else len(MOTIFS) - 1


def picture(motif: int) -> bytes:
    """A picture as WebP."""
    return (files("frontdesk.sample") / "photos" / f"{MOTIFS[motif]}.webp").read_bytes()
