"""The knowledge base as tools and resources of the Model Context Protocol, over stdio and streamable HTTP."""

from autokb.plugin import Command, Plugin

plugin = Plugin(
    "mcp",
    summary="The knowledge base as tools of an assistant or an editor.",
    commands=(
        Command(
            "mcp",
            "autokb.plugins.mcp.commands:mcp",
            "Serve a workspace to assistants by the Model Context Protocol, over standard input and output or over "
            "HTTP.",
            example="autokb mcp kb  as the command of a server in an assistant's configuration",
        ),
    ),
    extra="mcp",
    built_in=True,
)
