"""Made-up pictures of the demo, drawn by code: what customers of a shop send photos of."""

import math
from collections.abc import Callable, Mapping
from random import Random

from frontdesk.sample.canvas import Canvas, Color

WIDTH, HEIGHT = 480, 360
VARIANTS = 4

_WALLS: tuple[Color, ...] = ((214, 204, 190), (186, 198, 200), (205, 190, 196), (190, 196, 178))
_FLOORS: tuple[Color, ...] = ((150, 112, 78), (120, 104, 92), (168, 132, 96), (98, 90, 88))
_CARDBOARD: Color = (178, 136, 88)
_DARK, _WHITE, _INK, _RED = (44, 40, 44), (246, 244, 238), (38, 38, 46), (190, 54, 50)


def _room(chance: Random) -> Canvas:
    """A wall, a floor, and the light of a window."""
    variant = chance.randrange(len(_WALLS))
    canvas = Canvas(WIDTH, HEIGHT, _WALLS[variant])
    wall, floor = _WALLS[variant], _FLOORS[variant]
    canvas.gradient(wall, (wall[0] - 40, wall[1] - 40, wall[2] - 36))
    horizon = 240 + chance.randrange(40)
    canvas.rectangle(0, horizon, WIDTH, HEIGHT, floor)
    for x in range(-200, WIDTH + 200, 60):
        canvas.line((240 + (x - 240) * 0.6, horizon), (x, HEIGHT), 1.5, _darker(floor, 18))
    return canvas


def mirror(chance: Random) -> Canvas:
    """A mirror on a wall, with cracks from one point to its frame."""
    canvas = _room(chance)
    left, top, right, bottom = 150 + chance.randrange(30), 40, 330, 300
    canvas.rectangle(left - 12, top - 12, right + 12, bottom + 12, (110, 76, 46))
    canvas.rectangle(left, top, right, bottom, (176, 200, 212))
    canvas.polygon([(left, bottom), (left, top + 120), (right, top), (right, top + 70)], _GLASS)
    x, y = left + 60 + chance.randrange(60), top + 90 + chance.randrange(80)
    for number in range(14):
        angle = number * math.tau / 14 + chance.random() * 0.3
        length = 60 + chance.random() * 130
        end = (x + math.cos(angle) * length, y + math.sin(angle) * length)
        end = (min(max(end[0], left), right), min(max(end[1], top), bottom))
        canvas.line((x, y), end, 2.2, _INK)
        canvas.line((x + 2, y + 1), (end[0] + 2, end[1] + 1), 1.0, _WHITE)
    canvas.disc(x, y, 9, _INK)
    canvas.polygon([(x - 30, y + 6), (x - 4, y + 44), (x - 44, y + 38)], _INK)
    return canvas


_GLASS: Color = (204, 222, 230)


def parcel(chance: Random) -> Canvas:
    """A box with a torn corner, on a floor."""
    canvas = _room(chance)
    left, top = 110 + chance.randrange(50), 120
    right, bottom = left + 230, top + 180
    canvas.polygon(
        [(left, top), (left + 50, top - 46), (right + 50, top - 46), (right, top)],
        (200, 158, 108),
    )
    canvas.polygon(
        [(right, top), (right + 50, top - 46), (right + 50, bottom - 46), (right, bottom)],
        _darker(_CARDBOARD, 40),
    )
    canvas.rectangle(left, top, right, bottom, _CARDBOARD)
    canvas.rectangle(left + 100, top, left + 128, bottom, (206, 184, 140))
    tear: list[tuple[float, float]] = [(right, top + 20)]
    for number in range(6):
        tear.append((right - 20 - chance.random() * 60, top + 30 + number * 18))
    canvas.polygon([*tear, (right, top + 150)], _DARK)
    canvas.text(left + 16, bottom - 44, "THIS SIDE UP", 3, _INK)
    return canvas


def size_label(chance: Random) -> Canvas:
    """The label of a garment, with its size."""
    color = (60 + chance.randrange(120), 60 + chance.randrange(90), 70 + chance.randrange(120))
    canvas = Canvas(WIDTH, HEIGHT, color)
    for y in range(0, HEIGHT, 6):
        canvas.rectangle(0, y, WIDTH, y + 2, _darker(color, 12))
    canvas.rectangle(130, 70, 350, 300, _WHITE)
    canvas.text(160, 96, "VELDRANO", 5, _INK)
    canvas.rectangle(150, 132, 330, 135, _INK)
    canvas.text(206, 156, chance.choice(("38", "40", "42", "M ", "XL")), 14, _INK)
    canvas.text(164, 250, "100 COTTON", 4, _INK)
    return canvas


def receipt(chance: Random) -> Canvas:
    """A till receipt on a table."""
    canvas = Canvas(WIDTH, HEIGHT, (96, 72, 54))
    for y in range(0, HEIGHT, 24):
        canvas.rectangle(0, y, WIDTH, y + 1, (84, 62, 46))
    canvas.rectangle(150, 0, 330, HEIGHT, (238, 236, 230))
    canvas.text(176, 18, "VELDRANO", 4, _INK)
    total = 0
    for row in range(7):
        price = 400 + chance.randrange(9_000)
        total += price
        canvas.text(162, 62 + row * 28, f"{1 + chance.randrange(3)} VD-{1000 + row}", 2.5, _INK)
        canvas.text(270, 62 + row * 28, f"{price // 100:>2}.{price % 100:02d}", 2.5, _INK)
    canvas.rectangle(162, 268, 318, 271, _INK)
    canvas.text(162, 284, "TOTAL", 3, _INK)
    canvas.text(238, 284, f"{total // 100}.{total % 100:02d}", 3, _INK)
    return canvas


def tracking(chance: Random) -> Canvas:
    """A shipping label with a bar code."""
    canvas = Canvas(WIDTH, HEIGHT, _CARDBOARD)
    canvas.rectangle(50, 40, 430, 320, _WHITE)
    canvas.text(70, 60, "EXPRESS", 8, _INK)
    canvas.rectangle(50, 120, 430, 123, _INK)
    x = 70.0
    while x < 400:
        width = chance.choice((2, 3, 5, 7))
        canvas.rectangle(x, 140, x + width, 250, _INK)
        x += width + chance.choice((2, 3, 5))
    digits = "".join(str(chance.randrange(10)) for _ in range(12))
    canvas.text(96, 272, digits, 6, _INK)
    return canvas


def screen(chance: Random) -> Canvas:
    """A page on a screen that says that something failed."""
    canvas = Canvas(WIDTH, HEIGHT, (236, 238, 242))
    canvas.rectangle(0, 0, WIDTH, 34, (70, 82, 104))
    canvas.rectangle(90, 8, 390, 26, _WHITE)
    canvas.rectangle(80, 90, 400, 270, _WHITE)
    canvas.disc(240, 140, 30, _RED)
    canvas.rectangle(236, 122, 244, 146, _WHITE)
    canvas.rectangle(236, 151, 244, 158, _WHITE)
    canvas.text(168, 192, f"ERROR {400 + chance.randrange(110)}", 5, _INK)
    canvas.rectangle(190, 234, 290, 256, (70, 110, 190))
    return canvas


def living_room(chance: Random) -> Canvas:
    """A sofa, a lamp and a picture on the wall."""
    canvas = _room(chance)
    color = (80 + chance.randrange(120), 70 + chance.randrange(100), 80 + chance.randrange(110))
    canvas.rectangle(200, 50, 300, 120, _DARK)
    canvas.rectangle(208, 58, 292, 112, (226, 190, 120))
    canvas.disc(248, 96, 14, _RED)
    canvas.rectangle(90, 190, 370, 250, color)
    canvas.rectangle(80, 210, 120, 300, _darker(color, 20))
    canvas.rectangle(340, 210, 380, 300, _darker(color, 20))
    canvas.rectangle(110, 240, 350, 290, _darker(color, -18))
    canvas.rectangle(419, 130, 424, 300, _DARK)
    canvas.polygon([(396, 130), (446, 130), (434, 80), (408, 80)], (246, 226, 160))
    return canvas


def swatches(chance: Random) -> Canvas:
    """Samples of fabric in rows."""
    canvas = Canvas(WIDTH, HEIGHT, (228, 224, 216))
    for row in range(3):
        for column in range(4):
            color = tuple(50 + chance.randrange(180) for _ in range(3))
            left, top = 26 + column * 110, 22 + row * 112
            canvas.rectangle(left + 4, top + 4, left + 100, top + 98, (190, 186, 180))
            canvas.rectangle(left, top, left + 96, top + 94, (color[0], color[1], color[2]))
    return canvas


def doorstep(chance: Random) -> Canvas:
    """A door, a mat, and perhaps a parcel."""
    canvas = Canvas(WIDTH, HEIGHT, (168, 92, 74))
    for row in range(0, 280, 20):
        canvas.rectangle(0, row, WIDTH, row + 2, (196, 176, 160))
        for x in range(row // 20 % 2 * 24, WIDTH, 48):
            canvas.rectangle(x, row, x + 2, row + 20, (196, 176, 160))
    canvas.rectangle(160, 40, 320, 300, (40, 74 + chance.randrange(40), 70))
    canvas.disc(296, 180, 7, (220, 190, 90))
    canvas.text(222, 66, str(2 + chance.randrange(90)), 8, (220, 190, 90))
    canvas.rectangle(0, 300, WIDTH, HEIGHT, (140, 138, 134))
    canvas.rectangle(170, 306, 310, 336, (70, 60, 54))
    if chance.random() < 0.5:
        canvas.rectangle(330, 250, 430, 326, _CARDBOARD)
        canvas.rectangle(372, 250, 388, 326, (206, 184, 140))
    return canvas


def sticker(chance: Random) -> Canvas:
    """A face."""
    canvas = Canvas(240, 240, _WHITE)
    canvas.disc(120, 120, 104, (70, 70, 70))
    canvas.disc(120, 120, 98, (252, 206 - chance.randrange(40), 70))
    for x in (84, 156):
        canvas.disc(x, 96, 12, _INK)
    for degrees in range(20, 161, 4):
        angle = math.radians(degrees)
        canvas.disc(120 + 56 * math.cos(angle), 124 + 44 * math.sin(angle), 6, _INK)
    return canvas


def _darker(color: Color, by: int) -> Color:
    red, green, blue = (min(255, max(0, part - by)) for part in color)
    return red, green, blue


# In the order of their numbers, which ids of the demo's files contain.
MOTIFS: tuple[Callable[[Random], Canvas], ...] = (
    *(mirror, parcel, size_label, receipt, tracking),
    *(screen, living_room, swatches, doorstep, sticker),
)
_BY_NAME: Mapping[str, Callable[[Random], Canvas]] = {
    "tracking": tracking,
    "seguimiento": tracking,
    "rastreio": tracking,
    "doorstep": doorstep,
    "card": size_label,
    "living-room": living_room,
    "sala": living_room,
    "window": living_room,
    "box": parcel,
    "pallet": parcel,
    "roto": mirror,
    "roto-2": parcel,
    "receipt": receipt,
    "error": screen,
    "erro": screen,
    "swatches": swatches,
}


def motif_number(file_name: str) -> int:
    """Number of the motif that a script calls `photo.jpg`; that of a sticker is the last."""
    motif = _BY_NAME.get(file_name.partition(".")[0])
    return MOTIFS.index(motif) if motif else len(MOTIFS) - 1


def draw(motif: int, variant: int) -> bytes:
    """A picture as PNG, the same for the same numbers."""
    return MOTIFS[motif](Random(motif * VARIANTS + variant)).png()
