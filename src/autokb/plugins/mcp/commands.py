"""``autokb mcp``: the knowledge base as tools of an assistant or an editor."""

from __future__ import annotations

from typing import Annotated

import typer

from autokb.cli.commands import Folder, Json

APPLICATION, PATH = "autokb.plugins.mcp.http:served_mcp_app", "/v1/mcp"


def mcp(
    workspace: Folder,
    allow_writes: Annotated[
        bool, typer.Option("--allow-writes", help="Without --http: take reports of outcomes, and log what is asked.")
    ] = False,
    http: Annotated[
        bool, typer.Option("--http", help="Serve many over HTTP, by the keys and roles of autokb serve.")
    ] = False,
    host: Annotated[str, typer.Option(metavar="ADDRESS", help="With --http: the address to listen on.")] = "127.0.0.1",
    port: Annotated[
        int, typer.Option(metavar="N", min=0, max=65535, help="With --http: the port; 0 takes a free one.")
    ] = 8000,
    rate: Annotated[
        int, typer.Option(metavar="N", min=0, help="With --http: requests a minute for a key; 0 limits nothing.")
    ] = 1200,
    json: Json = False,
) -> None:
    """Serve a workspace to assistants by the Model Context Protocol, over standard input and output or over HTTP."""
    import os
    from importlib.util import find_spec

    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # before numpy is loaded, see serve

    from autokb.app import SupportKB
    from autokb.cli.serve_commands import listen_and_say, run_application
    from autokb.core.errors import BadInputError, hide_values

    if find_spec("mcp") is None:
        raise BadInputError("The server needs the extra: pip install 'autokb[mcp]'.")
    if not http:
        from autokb.plugins.mcp.stdio import serve_stdio

        with hide_values():
            serve_stdio(workspace, writes=allow_writes)
        return
    if allow_writes:
        raise BadInputError("Over HTTP a key's role says who may write; leave --allow-writes out.")
    with hide_values():
        kb = SupportKB.open(workspace)
        needs_key, _ = kb.keys.are_needed(), kb.waits_for_servers  # see serve
    kb.close()
    listening = listen_and_say(workspace, host, port, PATH, needs_key=needs_key, json=json)
    run_application(APPLICATION, listening, workspace, host, rate, workers=1)
