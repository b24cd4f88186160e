"""Keys of the service on the terminal."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from rich.console import Group, RenderableType
from rich.text import Text

from autokb.cli.one_line import one_line
from autokb.cli.views import next_line, quoted

if TYPE_CHECKING:
    from autokb.app.api_keys import ApiKeys, CreatedKey
    from autokb.app.workspace_keys import KeysOfWorkspaces, ListedKey, SharedKey
    from autokb.core.api_keys import ApiKey


def created_key_sentence(made: CreatedKey | SharedKey) -> str:
    """Show a new key."""
    return (
        f"{made.id} for the role {made.role}:\n\n{made.key}\n\nCopy it now; it won't be shown again. Send it "
        "as the header: Authorization: Bearer KEY"
    )


def keys_view(workspace: Path, found: ApiKeys) -> RenderableType:
    """Show keys, one a line."""
    if not found.keys:
        none = Text("There is no key; without one only this machine is served, with full rights.")
        return Group(none, next_line(f"Next: autokb keys create {quoted(workspace)} --role agent"))
    lines = []
    widest = max(len(one_line(one.id)) for one in found.keys)
    for one in found.keys:
        revoked = f"  revoked {one_line(one.revoked)}" if one.revoked else ""
        lines.append(Text(f"{one_line(one.id):<{widest}}  {one.role:<6}  created {one_line(one.created)}{revoked}"))
    return Group(*lines)


def shared_keys_view(found: KeysOfWorkspaces) -> RenderableType:
    """Show the keys of all workspaces of a folder, one a line."""
    if not found.keys:
        return Text("There is no key in any of them; without one only this machine is served, with full rights.")
    widest = max(len(one_line(one.id)) for one in found.keys)
    lines = []
    for one in found.keys:
        where = f"revoked {one_line(one.revoked)}" if one.revoked else f"for {one_line(', '.join(one.workspaces))}"
        lines.append(Text(f"{one_line(one.id):<{widest}}  {one.role:<6}  created {one_line(one.created)}  {where}"))
    return Group(*lines)


def revoked_sentence(done: ApiKey | ListedKey) -> str:
    """Say what counts no more."""
    return f"{done.id} ({done.role}) was revoked at {done.revoked}; requests with it are refused."
