"""A picture of two kinds of questions: how near the document is that is found first, and where thresholds lie."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from html import escape

WIDTH, HEIGHT = 480, 180  # px of the area that the bars fill
MARGIN = 30  # px around it, for the words
TICKS = (0.0, 0.2, 0.4, 0.6, 0.8, 1.0)  # cosines that are named below
COLOURS = ("#1f77b4", "#d95f02")  # blue and orange, which colour-blind people tell apart


def cosine_picture(title: str, kinds: Mapping[str, Sequence[int]], thresholds: Mapping[str, float]) -> str:
    """Return an SVG of shares by cosine, 0 to 1: a set of bars for each kind, counts of bins of one width.

    ``thresholds`` are drawn as lines with their names.
    """
    shares = {kind: [count / (sum(counts) or 1) for count in counts] for kind, counts in kinds.items()}
    top = max((share for bars in shares.values() for share in bars), default=0.0) or 1.0
    box = f"0 0 {WIDTH + 2 * MARGIN} {HEIGHT + 3 * MARGIN}"
    parts = [f'<svg xmlns="http://www.w3.org/2000/svg" role="img" viewBox="{box}"><title>{escape(title)}</title>']
    for number, (kind, bars) in enumerate(shares.items()):
        parts += _bars(kind, bars, top, number)
    for number, (name, at) in enumerate(thresholds.items()):
        parts += _line(name, at, number)
    parts += [_text(MARGIN + at * WIDTH, MARGIN + HEIGHT + 14, f"{at:g}", "middle") for at in TICKS]
    return "".join((*parts, "</svg>"))


def _bars(kind: str, bars: Sequence[float], top: float, number: int) -> list[str]:
    width, colour = WIDTH / len(bars), COLOURS[number % len(COLOURS)]
    found = []
    for n, share in enumerate(bars):
        height = share / top * HEIGHT
        place = f'x="{MARGIN + n * width:.1f}" y="{MARGIN + HEIGHT - height:.1f}"'
        found.append(f'<rect {place} width="{width:.1f}" height="{height:.1f}" fill="{colour}" fill-opacity="0.5"/>')
    y = MARGIN + HEIGHT + 34 + number * 18
    return [
        *found,
        f'<rect x="{MARGIN}" y="{y - 9}" width="10" height="10" fill="{colour}"/>',
        _text(MARGIN + 16, y, kind),
    ]


def _line(name: str, at: float, number: int) -> list[str]:
    x = MARGIN + at * WIDTH
    ends = f'x1="{x:.1f}" x2="{x:.1f}" y1="{MARGIN}" y2="{MARGIN + HEIGHT}"'
    return [f'<line {ends} stroke="currentColor" stroke-dasharray="4"/>', _text(x + 4, MARGIN - 14 + 14 * number, name)]


def _text(x: float, y: float, words: str, anchor: str = "start") -> str:
    place = f'x="{x:.1f}" y="{y:.1f}" font-size="12" text-anchor="{anchor}" fill="currentColor"'
    return f"<text {place}>{escape(words)}</text>"
