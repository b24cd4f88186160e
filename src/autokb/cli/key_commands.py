"""``autokb keys``: who may use the service, and for what."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from autokb.cli.commands import Folder, Json, app
from autokb.cli.manual import Commands, one_of
from autokb.core.roles import ROLES

if TYPE_CHECKING:
    from autokb.app.api_keys import CreatedKey
    from autokb.app.workspace_keys import ListedKey, SharedKey
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
    from autokb.cli.key_views import created_key_sentence
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
    from autokb.cli.key_views import keys_view, shared_keys_view
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
    from autokb.cli.key_views import revoked_sentence
    from autokb.cli.output import emit

    if holds_workspaces(workspace):
        done: ApiKey | ListedKey = revoke_shared_key(workspace, key_id)
    else:
        done = SupportKB.open(workspace).keys.revoke(key_id)
    emit(json, done.as_json(), lambda: revoked_sentence(done))
