"""``autokb keys``: who may use the service, and for what."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from autokb.cli.commands import Folder, Json, app
from autokb.cli.manual import Commands, one_of
from autokb.cli.output import one_line
from autokb.core.roles import ROLES

if TYPE_CHECKING:
    from pathlib import Path

    from rich.console import RenderableType

    from autokb.app.api_keys import ApiKeys, CreatedKey
    from autokb.app.workspace_keys import KeysOfWorkspaces, ListedKey, SharedKey
    from autokb.core.api_keys import ApiKey

keys = Commands(help="Keys of the service: made, listed, revoked.", no_args_is_help=True)
app.add_typer(keys, name="keys")


@keys.command(epilog="Example: autokb keys create kb --role agent --name front-desk")
def create(
    workspace: Folder,
    role: Annotated[
        str,
        typer.Option(
            metavar="ROLE",
            help="reader, agent, editor or admin; each may what those before it may.",
            autocompletion=one_of(*ROLES),
        ),
    ],
    name: Annotated[
        str, typer.Option(metavar="NAME", help="Name of its holder, such as front-desk; histories show it.")
    ] = "",
    workspaces: Annotated[
        str, typer.Option(metavar="NAME,NAME", help="The workspaces of a folder of them that the key is for.")
    ] = "",
    json: Json = False,
) -> None:
    """Create a key; it is shown only once, for only its hash is kept."""
    from autokb.app import SupportKB
    from autokb.app.workspace_keys import create_shared_key
    from autokb.app.workspaces import holds_workspaces
    from autokb.cli.output import emit

    if workspaces or holds_workspaces(workspace):
        names = [one.strip() for one in workspaces.split(",") if one.strip()]
        made: CreatedKey | SharedKey = create_shared_key(workspace, names, role, name)
    else:
        made = SupportKB.open(workspace).keys.create(role, name)
    emit(json, made.as_json(), lambda: created_key_sentence(made))


@keys.command(name="list", epilog="Example: autokb keys list kb")
def list_(workspace: Folder, json: Json = False) -> None:
    """List the keys with their roles, revoked ones too."""
    from autokb.app import SupportKB
    from autokb.app.workspace_keys import list_shared_keys
    from autokb.app.workspaces import holds_workspaces
    from autokb.cli.output import emit

    if holds_workspaces(workspace):
        listed = list_shared_keys(workspace)
        emit(json, listed.as_json(), lambda: shared_keys_view(listed))
        return
    found = SupportKB.open(workspace).keys.list()
    emit(json, found.as_json(), lambda: keys_view(workspace, found))


@keys.command(epilog="Example: autokb keys revoke kb key-3f2a91c07d15")
def revoke(
    workspace: Folder,
    key_id: Annotated[str, typer.Argument(metavar="ID", help="The key's id, not the key.")],
    json: Json = False,
) -> None:
    """Let a key count no more, from the next request on."""
    from autokb.app import SupportKB
    from autokb.app.workspace_keys import revoke_shared_key
    from autokb.app.workspaces import holds_workspaces
    from autokb.cli.output import emit

    if holds_workspaces(workspace):
        done: ApiKey | ListedKey = revoke_shared_key(workspace, key_id)
    else:
        done = SupportKB.open(workspace).keys.revoke(key_id)
    emit(json, done.as_json(), lambda: revoked_sentence(done))


def created_key_sentence(made: CreatedKey | SharedKey) -> str:
    """Show a new key."""
    return (
        f"{made.id} for the role {made.role}:\n\n{made.key}\n\nCopy it now; it won't be shown again. Send it "
        "as the header: Authorization: Bearer KEY"
    )


def keys_view(workspace: Path, found: ApiKeys) -> RenderableType:
    """Show keys, one a line."""
    from rich.console import Group
    from rich.text import Text

    from autokb.cli.views import next_line, quoted

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
    from rich.console import Group
    from rich.text import Text

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
