"""Results become small pieces of HTML that look as the pages do: every text of the data is escaped."""

from __future__ import annotations

import re
from functools import cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from jinja2 import Environment

# What steers the direction of writing or a terminal, as the pages have it, where a space stands for it, too.
CONTROL = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u206f\ud800-\udfff]")


def html(template: str, **values: object) -> str:
    """Return a piece of HTML with its own style, which reaches nothing outside of it; there is no script in it."""
    return _templates().get_template(f"{template}.html").render(values)


@cache
def _templates() -> Environment:
    import jinja2

    templates = jinja2.Environment(
        loader=jinja2.PackageLoader("autokb.notebook"),
        autoescape=True,
        finalize=lambda value: CONTROL.sub(" ", value) if type(value) is str else value,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    templates.globals["shared"] = templates.get_template("macros.html").module
    return templates
