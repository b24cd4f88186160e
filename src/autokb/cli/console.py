"""The console of rich that all views are printed on: only its own styling steers the terminal, never a text."""

from __future__ import annotations

import sys
from collections.abc import Iterator

from rich.console import Console, ConsoleOptions, RenderableType
from rich.segment import Segment
from rich.text import Text

from autokb.text.control_characters import CONTROL_CHARACTER, for_terminal


class HarmlessConsole(Console):
    """A console on which no text, whatever view it is in, is a control sequence, markup, emoji code or hyperlink."""

    def __init__(self, *, stderr: bool = False) -> None:
        stream = sys.stderr if stderr else sys.stdout
        # rich's name for the stream under a proxy: there its own styling must not be taken for an attack
        super().__init__(
            file=getattr(stream, "rich_proxied_file", stream),
            highlight=False,
            markup=False,
            emoji=False,
            soft_wrap=False,
        )

    def render(self, renderable: RenderableType, options: ConsoleOptions | None = None) -> Iterator[Segment]:
        """Render anything, at every depth of it through here, with the texts in it made harmless."""
        if isinstance(renderable, Text) and CONTROL_CHARACTER.search(renderable.plain):
            # Before the layout, for rich counts no column for what will be seen.
            renderable = renderable.copy()
            renderable.plain = CONTROL_CHARACTER.sub("\ufffd", renderable.plain)
        for segment in super().render(renderable, options):
            yield segment if segment.control else _harmless(segment)


def _harmless(segment: Segment) -> Segment:
    style = segment.style
    if style is not None and style.link:
        style = style.update_link(None)
    return Segment(for_terminal(segment.text), style)
