"""``autokb mcp``: the knowledge base as tools of an assistant or an editor."""

from __future__ import annotations

from typing import Annotated

import typer

from autokb.cli.commands import Folder, Json, app


@app.command(epilog="Example: autokb mcp kb  as the command of a server in an assistant's configuration")
def mcp(
    workspace: Folder,
    allow_writes: Annotated[
        bool, typer.Option("--allow-writes", help="Take reports of outcomes, and log questions as serve does.")
    ] = False,
    json: Json = False,
) -> None:
    """Serve a workspace to assistants by the Model Context Protocol, over standard input and output."""
    from autokb.core.errors import BadInputError

    try:
        from autokb.mcp_server.stdio import serve_stdio
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] not in ("mcp", "mcp_types"):
            raise
        raise BadInputError("The server needs the extra: pip install 'autokb[mcp]'.") from error
    serve_stdio(workspace, writes=allow_writes)
