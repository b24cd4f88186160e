"""Writes who may what through the service into ``docs/roles.md``: ``python docs/draw_roles.py``.

It reads the routes of the application itself, so a route without a role ends it; the tests compare the page with it and
ask every path with every role.
"""

from __future__ import annotations

import re
import sys
import tempfile
from collections.abc import Iterable
from pathlib import Path

from fastapi import FastAPI
from fastapi.routing import iter_route_contexts

from autokb.core.plugins import plugins
from autokb.core.roles import ROLES
from autokb.plugin import SIGNED
from autokb.stores.workspace import create_workspace
from autokb.web.access import EMBED, OPEN_PATHS, SIGNING_IN
from autokb.web.app import create_app

ROOT = Path(__file__).resolve().parents[1]
PAGE = ROOT / "docs" / "roles.md"
BEGIN, END = "<!-- written by docs/draw_roles.py -->\n", "<!-- end of the table -->\n"
OPEN = ""  # the role of what needs no key
CHECKED_INSIDE = {("GET", "/"): "reader"}  # who may only read is sent on to what there is to read


def read_roles(app: FastAPI) -> dict[tuple[str, str], str]:
    """Return the first role that may, by method and path; ``OPEN`` needs no key, for ``SIGNED`` none counts.

    ValueError for a route without any.
    """
    found: dict[tuple[str, str], str] = {}
    for route in iter_route_contexts(app.routes):
        path = re.sub(r":\w+}", "}", str(route.path))
        roles = {r for r in map(_role, route.dependant.dependencies if route.dependant else ()) if r is not None}
        for method in sorted((route.methods or set()) - {"HEAD"}):
            if path in (*OPEN_PATHS, EMBED) or path.startswith(SIGNING_IN):
                found[method, path] = OPEN
            elif path.startswith(plugins().signed):
                found[method, path] = SIGNED
            elif (method, path) in CHECKED_INSIDE:
                found[method, path] = CHECKED_INSIDE[method, path]
            elif len(roles) == 1:
                found[method, path] = roles.pop()
            else:
                raise ValueError(f"{method} {path} has no role: give it dependencies=[READER], or another one.")
    return found


def _role(dependency: object) -> str | None:
    return getattr(getattr(dependency, "call", None), "role", None)


def draw(roles: Iterable[tuple[tuple[str, str], str]]) -> str:
    """Return the table as Markdown."""
    lines = [f"| | path | no key | {' | '.join(ROLES)} |", "|---|---|" + "---|" * (len(ROLES) + 1)]
    for (method, path), first in roles:
        if first == SIGNED:
            lines.append(f"| {method} | `{path}` | {' | '.join(['by signature', *('–' for _ in ROLES)])} |")
            continue
        may = [not first, *(not first or ROLES.index(role) >= ROLES.index(first) for role in ROLES)]  # type: ignore[arg-type]
        lines.append(f"| {method} | `{path}` | {' | '.join('yes' if one else '–' for one in may)} |")
    return "\n".join(lines) + "\n"


def with_table(page: str, app: FastAPI) -> str:
    """Return the page with its table made anew."""
    table = draw(read_roles(app).items())
    return re.sub(f"(?<={re.escape(BEGIN)}).*?(?={re.escape(END)})", lambda _match: table, page, flags=re.DOTALL)


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        served = create_app(create_workspace(Path(folder) / "kb", "name: empty\n").folder)
        PAGE.write_text(with_table(PAGE.read_text(encoding="utf-8"), served), encoding="utf-8")
    sys.stdout.write(f"Wrote {PAGE.relative_to(ROOT)}.\n")
