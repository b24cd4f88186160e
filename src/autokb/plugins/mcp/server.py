"""The server of the protocol: whoever calls, one tool or resource, one method of ``SupportKB``, one envelope."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

from anyio import CapacityLimiter
from mcp.server import Server, ServerRequestContext
from mcp.shared.exceptions import MCPError
from mcp_types import (
    INVALID_PARAMS,
    CallToolRequestParams,
    CallToolResult,
    ListResourcesResult,
    ListResourceTemplatesResult,
    ListToolsResult,
    PaginatedRequestParams,
    ReadResourceRequestParams,
    ReadResourceResult,
    TextContent,
    TextResourceContents,
    Tool,
    ToolAnnotations,
)

from autokb import __version__
from autokb.app import SupportKB
from autokb.core.errors import AutokbError
from autokb.core.roles import may
from autokb.core.storable import without_surrogates
from autokb.plugins.mcp.marked import NOTICE, SHOWN_CHARACTERS, as_text, marked, read_arguments, schema_of, sentence_for
from autokb.plugins.mcp.resources import TEMPLATES, list_resources, read_resource
from autokb.plugins.mcp.tools import TOOLS, KnowledgeTool, tools_of_plugins
from autokb.web.access import Caller, check_role
from autokb.web.middleware import in_thread
from autokb.web.problems import ProblemError

INSTRUCTIONS = (
    "A support team's knowledge base. For a customer's question call ask, and answer from what it shows, with its "
    "evidence. Where its outcome is asks, ask the customer that question first; where it abstains, say that nothing is "
    "known. autokb://themes lists the themes and the attributes with their values. Each result is an object with "
    f"notice and data. {NOTICE} So are the names of resources."
)
READ_ONLY = (
    "This server was started for reading alone; autokb mcp WORKSPACE --allow-writes starts one that takes reports."
)
T = TypeVar("T")
Context = ServerRequestContext[Any, Any]


@dataclass(frozen=True, slots=True)
class CallContext:
    """Who calls, from where it is answered, and how many questions are answered directly."""

    kb: SupportKB
    folder: Path
    caller: Caller
    computing: CapacityLimiter | None
    writes: bool

    def offers(self, tool: KnowledgeTool) -> bool:
        """Return whether the caller may call a tool."""
        return may(self.caller.role, tool.role) and (self.writes or not tool.writes)


def create_server(call_of: Callable[[Context], CallContext]) -> Server[Any]:
    """Return the server; ``call_of`` says for each request who sends it and what it is answered from."""
    tools = {tool.name: tool for tool in (*TOOLS, *tools_of_plugins())}
    described = {name: _describe(tool) for name, tool in tools.items()}

    async def list_tools(context: Context, _params: PaginatedRequestParams | None) -> ListToolsResult:
        call = call_of(context)
        has_tickets = await in_thread(lambda: _has_tickets(call.kb))
        offered = (name for name, tool in tools.items() if call.offers(tool) and (has_tickets or not tool.tickets))
        return ListToolsResult(tools=[described[name] for name in offered])

    async def call_tool(context: Context, params: CallToolRequestParams) -> CallToolResult:
        call = call_of(context)
        try:
            tool = tools.get(params.name)
            if tool is None:
                raise ProblemError(404, f"There is no tool {params.name[:SHOWN_CHARACTERS]!r}; the list names them.")
            check_role(call.caller, tool.role)
            if tool.writes and not call.writes:
                raise ProblemError(403, READ_ONLY)
            asked = read_arguments(tool.takes, params.arguments or {})
            limiter = call.computing if tool.computes else None
            found = marked(await in_thread(lambda: tool.work(call.kb, call.caller.role, asked), limiter))
        except Exception as error:
            said = sentence_for(error, call.folder)
            return CallToolResult(content=[TextContent(text=said)], is_error=True)
        return CallToolResult(content=[TextContent(text=as_text(found))], structured_content=found)

    async def resources(context: Context, params: PaginatedRequestParams | None) -> ListResourcesResult:
        call, cursor = call_of(context), without_surrogates((params and params.cursor) or "")
        return await _read(call, lambda: list_resources(call.kb, cursor))

    async def templates(_context: Context, _params: PaginatedRequestParams | None) -> ListResourceTemplatesResult:
        return ListResourceTemplatesResult(resource_templates=list(TEMPLATES))

    async def resource(context: Context, params: ReadResourceRequestParams) -> ReadResourceResult:
        call = call_of(context)
        found = await _read(call, lambda: read_resource(call.kb, call.caller.role, without_surrogates(params.uri)))
        contents = TextResourceContents(
            uri=params.uri, mime_type="application/json", text=json.dumps(marked(found), ensure_ascii=False)
        )
        return ReadResourceResult(contents=[contents])

    return Server(
        "autokb",
        version=__version__,
        instructions=INSTRUCTIONS,
        # Which the headers of a call are checked by; without it every call over HTTP lists all tools first.
        get_tool_input_schema=lambda name: described[name].input_schema if name in described else None,
        on_list_tools=list_tools,
        on_call_tool=call_tool,
        on_list_resources=resources,
        on_list_resource_templates=templates,
        on_read_resource=resource,
    )


def _has_tickets(kb: SupportKB) -> bool:
    """Return whether there are tickets to search; where that cannot be read, the tools for them say why."""
    try:
        return hasattr(kb, "tickets") and bool(kb.tickets.list(1).items)
    except AutokbError:
        return True


async def _read(call: CallContext, work: Callable[[], T]) -> T:
    """Read beside the event loop; what fails is an error of the protocol, for resources have no other."""
    try:
        check_role(call.caller, "reader")
        found: T = await in_thread(work)
    except Exception as error:
        raise MCPError(INVALID_PARAMS, sentence_for(error, call.folder)) from None
    return found


def _describe(tool: KnowledgeTool) -> Tool:
    return Tool(
        name=tool.name,
        description=tool.description,
        input_schema=tool.takes.model_json_schema(),
        output_schema=schema_of(tool.gives),
        annotations=ToolAnnotations(
            read_only_hint=not tool.writes, destructive_hint=False, idempotent_hint=True, open_world_hint=False
        ),
    )
