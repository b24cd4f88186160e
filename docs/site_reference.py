"""Pages of the site that are made from the code when it is built: commands, settings, HTTP, Python and thresholds.

Nothing of them is kept in the repository, so nothing of them can be out of date.
"""

from __future__ import annotations

import dataclasses
import importlib
import inspect
import re
import tempfile
import types
import typing
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

import list_thresholds
import typer.main
from draw_roles import read_roles

from autokb.app import SupportKB
from autokb.app.support_kb import NAMESPACES, namespace_class
from autokb.cli import load_commands
from autokb.cli.commands import app
from autokb.core.plugins import built_in, use, with_namespace
from autokb.core.roles import ROLES
from autokb.core.settings import OVERRIDABLE, Settings
from autokb.stores.workspace import DEFAULT_SETTINGS, create_workspace
from autokb.web.app import create_app

# What each setting is for. Its type, default and environment variable are read from the code.
SETTINGS = {
    "model": "The model that builds and writes: `offline`, or `openai:NAME`, `anthropic:NAME`, `bedrock:NAME`, "
    "`google:NAME`.",
    "tasks": "Another model for single tasks, by the name of the task.",
    "embedder": "What turns texts into vectors: `packaged`, `openai:NAME` or `local:FOLDER`.",
    "reranker": "A second ranker: `none`, `local:FOLDER` (a cross-encoder in ONNX) or `http:URL`.",
    "plugins": "The sections of plug-ins, by their names ([Plug-ins](../plugins.md)).",
    "convert": "Commands that turn files into Markdown or HTML, by suffix: `.rst: pandoc -f rst -t gfm {file}`.",
    "ocr": "The command that turns a picture of a page of a PDF into text: `tesseract {file} -`.",
    "reranker_seconds": "The seconds that a reranker may take of a question. It is answered without if that is not "
    "enough.",
    "base_url": "An OpenAI-compatible server that gets what is for `openai:NAME`.",
    "concurrency": "Requests to a model at the same time.",
    "timeout": "Seconds that one request to a model may take.",
    "retries": "Tries after the first one fails.",
    "window": "Tokens that the model can read; 0 takes what is known of it.",
    "max_output": "Tokens that the model may write in one reply.",
    "max_reply_bytes": "A larger reply is refused, as it comes or unpacked.",
    "chunker": "How documents are cut: `fixed`, `headings`, `auto_chunker`, `semantic`, `llm_semantic`, "
    "`lumber_chunker`, `recursive` and its variants.",
    "max_size": "Characters of a chunk at most.",
    "context": "What a chunk is told of its document: `document`, `chained` or `woven`; empty as the mode asks.",
    "scratchpad": "Let a model without hidden reasoning think in its reply before it writes.",
    "show_doubted": "Show what a model says may break a rule, until a person decides.",
    "rule_reasons": "Let the model say how each rule is kept.",
    "prices": "USD a million tokens, `input` and `output`, by the model's name.",
    "answer": "When a question is refused: `caution` is the least probability of an answer at which it is answered.",
    "ask": "A model that chooses among what a question finds (`model`, `timeout` in seconds, `budget_per_day` in USD), "
    "and the `style` of answers, `steps` or `reply`.",
    "helpdesks": "Chatwoot, Zendesk and Intercom: their addresses, and whether a suggestion may go to the customer. "
    "Secrets stand in the environment.",
    "embed": "The ask box for other sites: the `origins` that may show it, the questions that an address may ask "
    "`a_minute`, and how many trusted `proxies` stand before the service.",
    "clustering": "What vectors go through before issues are clustered: `reduce` is `pca`, `umap` or `none`.",
    "reasoning_effort": "How long a model that reasons may think, by the model's name: `none` to `max`, or `default`.",
    "graph": "What answers Cypher about tickets: `store` is `ladybug`.",
    "search": "`in_database_from`: the rows from which a workspace in Postgres is searched there, not in memory.",
    "log_questions": "Let the service keep the newest questions, masked.",
    "keep_versions": "Versions that can be shown again, the newest among them.",
    "stale_after": "Days after which a document that nobody has changed is named as outdated.",
    "experiment": "Which conversations get suggestions: `enabled`, the `share` that does, and a `salt` that names the "
    "experiment.",
    "gate": "How much worse a build may do before it waits for a person: `max_loss` (shares `first`, `outcome`, "
    "`trees`) and `must` (ids of checks).",
    "sources": "What `sync` follows, by name ([sources in step](../sources-in-step.md)).",
    "store": "A Postgres URL, where the workspace is kept in a server and not in a file.",
    "failure_tolerance": "Share of a stage's items that may fail; a build with more failures publishes nothing.",
    "executor": "Where a build's work is done: `local`, `ray` or `ray://HOST:PORT`.",
}
METHODS = ("get", "post", "put", "patch", "delete")
NO_KEY = "no key"
SHOWN = ("views", "tickets", "curation", "usage", "evaluate", "keys", "versions", "checks")  # of ``SupportKB``


# -- commands --------------------------------------------------------------------------------------


def commands() -> str:
    """Return all commands with their arguments, options and examples, as ``--help`` has them."""
    load_commands()
    lines = [
        "# Commands",
        "",
        "All commands, as `autokb COMMAND --help` describes them. Every one takes `--json` and then prints one JSON "
        "object on standard output and nothing else there. The exit status is 0 when the command is done, 1 when "
        "something failed, 2 for bad input, and 3 when it stopped on purpose and can go on.",
        "",
    ]
    for path, command in _commands(typer.main.get_command(app)):
        lines += _command(" ".join(("autokb", *path)), command)
    return "\n".join(lines)


def _commands(group: Any, path: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], Any]]:
    for name, one in sorted(group.commands.items()):
        if hasattr(one, "commands"):
            yield from _commands(one, (*path, name))
        else:
            yield (*path, name), one


def _command(name: str, command: Any) -> list[str]:
    arguments = [one for one in command.params if one.param_type_name == "argument"]
    options = [one for one in command.params if one.param_type_name == "option" and one.name not in ("help", "json")]
    usage = " ".join([name, *(_argument(one) for one in arguments), *(["[OPTIONS]"] if options else [])])
    lines = [f"## {name}", "", inspect.cleandoc(command.help or ""), "", "```text", usage, "```", ""]
    named = [(f"`{_argument(one)}`", "", one.help or "") for one in arguments if one.help]
    lines += _table(("argument or option", "default", "meaning"), [*named, *map(_option, options)])
    if command.epilog:
        examples = re.sub(r"^Examples?: *", "", " ".join(command.epilog.split()))
        lines += [f"Example: `{examples}`", ""]
    return lines


def _argument(argument: Any) -> str:
    name = argument.metavar or argument.name.upper()
    return name if argument.required or name.startswith("[") else f"[{name}]"


def _option(option: Any) -> tuple[str, str, str]:
    value = "" if option.is_flag else f" {option.metavar or option.name.upper()}"
    default = "" if option.is_flag or option.default in (None, "", ()) else f"`{option.default}`"
    return f"`{', '.join(option.opts)}{value}`", default, option.help or ""


# -- settings --------------------------------------------------------------------------------------


def settings() -> str:
    """Return every setting with its type, default, environment variable and meaning (ValueError where one lacks)."""
    fields = dataclasses.fields(Settings)
    if {one.name for one in fields} != SETTINGS.keys():
        differing = ", ".join(sorted({one.name for one in fields} ^ SETTINGS.keys()))
        raise ValueError(f"SETTINGS of docs/site_reference.py must say what each setting is for: {differing}.")
    rows = [
        (f"`{one.name}`", _type(one.type), _default(one), _variable(one.name), SETTINGS[one.name]) for one in fields
    ]
    head = (
        "# Settings\n\nA workspace's `settings.yaml` may hold any of these; all are optional, and the defaults work "
        "offline at no cost. An environment variable stands before the file. A name that is not listed here, or a "
        "value of the wrong kind, ends the command with a sentence that names it.\n\n`autokb init` writes this:\n\n"
        f'```yaml title="settings.yaml"\n{DEFAULT_SETTINGS}```\n\n## All settings\n\n'
    )
    return head + "\n".join(_table(("setting", "type", "default", "environment", "meaning"), rows))


def _type(written: Any) -> str:
    words = {"str": "word", "int": "whole number", "bool": "true or false", "float": "number"}
    return words.get(str(written), "mapping")


def _default(field: dataclasses.Field[Any]) -> str:
    if field.default is dataclasses.MISSING or field.default is None or field.default == "":
        return "none"
    if dataclasses.is_dataclass(field.default):
        inner = {one.name: getattr(field.default, one.name) for one in dataclasses.fields(field.default)}
        return "`" + ", ".join(f"{name}: {_yaml(value)}" for name, value in inner.items()) + "`"
    return f"`{_yaml(field.default)}`"


def _yaml(value: Any) -> str:
    if isinstance(value, tuple):
        return f"[{', '.join(map(str, value))}]"
    return str(value).lower() if isinstance(value, bool) else str(value) or "''"


def _variable(name: str) -> str:
    return f"`AUTOKB_{name.upper()}`" if name in OVERRIDABLE else ""


# -- HTTP ------------------------------------------------------------------------------------------


def http() -> str:
    """Return every path of the service: who may, what it takes, what it gives."""
    with tempfile.TemporaryDirectory() as folder:
        served = create_app(create_workspace(Path(folder) / "kb", "name: empty\n").folder)
        schema, roles = served.openapi(), read_roles(served)
    lines = [
        "# HTTP",
        "",
        "The paths of `autokb serve`, from its own `/openapi.json`. A key is sent as `Authorization: Bearer KEY`; "
        "without one, only this machine may ask, and only while the workspace has no key "
        "([roles](../roles.md), [deployment](../deployment.md)). The role that is named, and every one above it, may "
        f"ask: {', '.join(ROLES)}. Bodies are JSON. An error is a `problem+json` with `type`, `title`, `status` and "
        f"`detail`; its status is one of {', '.join(_errors(schema))}.",
        "",
    ]
    for path, operations in schema["paths"].items():
        for method in METHODS:
            if method in operations:
                first = roles.get((method.upper(), path)) or NO_KEY
                lines += _operation(method.upper(), path, operations[method], first)
    lines += ["## Shapes", "", "What the paths take and give, by name. A field with a star is always there.", ""]
    for name, shape in sorted(schema["components"]["schemas"].items()):
        lines += _shape(name, shape)
    return "\n".join(lines)


def _errors(schema: Mapping[str, Any]) -> list[str]:
    answers = (operation["responses"] for path in schema["paths"].values() for operation in path.values())
    return sorted({status for answer in answers for status in answer if not status.startswith("2")})


def _operation(method: str, path: str, operation: Mapping[str, Any], role: str) -> list[str]:
    lines = [f"## {method} {path}", "", inspect.cleandoc(operation.get("description") or ""), ""]
    body = next(iter((operation.get("requestBody") or {}).get("content", {}).values()), None)
    given = [f"{_kind(answer['schema'])}" for answer in _good(operation) if answer.get("schema")]
    lines += [f"Role: **{role}**." + (f" Takes {_kind(body['schema'])}." if body else "")]
    lines += [f"Gives {given[0]}." if given else "", ""]
    rows = [
        (f"`{one['name']}`", one["in"], _kind(one["schema"]), _said(one) or _said(one["schema"]))
        for one in operation.get("parameters", [])
    ]
    return [*lines, *(_table(("parameter", "in", "type", "meaning"), rows) if rows else [])]


def _good(operation: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    for status, answer in operation["responses"].items():
        if status.startswith("2"):
            yield from answer.get("content", {}).values()


def _shape(name: str, shape: Mapping[str, Any]) -> list[str]:
    required = shape.get("required", ())
    rows = [
        (f"`{field}`{'*' if field in required else ''}", _kind(one), _said(one))
        for field, one in shape.get("properties", {}).items()
    ]
    said = inspect.cleandoc(shape.get("description") or "").partition("\n\n")[0]
    table = _table(("field", "type", "meaning"), rows) if rows else [_kind(shape), ""]
    return [f"### {name}", "", said, "", *table]


def _said(schema: Mapping[str, Any]) -> str:
    return " ".join(str(schema.get("description") or "").split())


def _kind(schema: Mapping[str, Any]) -> str:
    """Return a JSON schema in a few words, with links to the shapes that it names."""
    if "$ref" in schema:
        name = schema["$ref"].rpartition("/")[2]
        return f"[{name}](#{name.lower()})"
    if choices := schema.get("anyOf") or schema.get("oneOf"):
        return " or ".join(dict.fromkeys(map(_kind, choices)))
    if "enum" in schema or "const" in schema:
        return " or ".join(f"`{one}`" for one in schema.get("enum", [schema.get("const")]))
    match schema.get("type"):
        case "array":
            return f"list of {_kind(schema.get('items', {}))}"
        case "object" if isinstance(schema.get("additionalProperties"), Mapping):
            return f"mapping to {_kind(schema['additionalProperties'])}"
        case None:
            return "anything"
    return str(schema["type"])


# -- Python ----------------------------------------------------------------------------------------


def python() -> str:
    """Return the page that mkdocstrings fills: the front door, its namespaces, and the types that these return."""
    namespaces = [type_of(name) for name in SHOWN]
    results = sorted(_results([SupportKB, *namespaces]), key=lambda one: one.__name__)
    lines = [
        "# Python",
        "",
        "`SupportKB` is the one way in. Its methods return the types below, whose `as_json()` is what the command "
        "prints with `--json`. Names that are not on this page may change at any time.",
        "",
        "## The front door",
        "",
        *_members(SupportKB),
        "## Namespaces",
        "",
        *(line for namespace in namespaces for line in _members(namespace)),
        "## What is returned",
        "",
        *(line for result in results for line in _members(result)),
    ]
    return "\n".join(lines)


def _members(kind: type) -> list[str]:
    return [f"::: {kind.__module__}.{kind.__name__}", ""]


def type_of(namespace: str) -> type:
    """Return the class of a namespace of ``SupportKB``, which one of our own plug-ins may bring."""
    if namespace in NAMESPACES:
        return typing.cast(type, namespace_class(namespace))
    plugin = with_namespace(namespace)
    return typing.cast(type, use(plugin.name, plugin.namespace))


def _results(namespaces: Iterable[type]) -> set[type]:
    """Return the dataclasses that public methods return, and those in their fields."""
    found: set[type] = set()
    behind = (use(plugin, code) for plugin, code in built_in("methods").values())  # of plug-ins, which know their types
    waiting = [
        (inspect.getmodule(method), name)
        for method in (*(method for namespace in namespaces for method in _public(namespace)), *behind)
        if (name := str(inspect.get_annotations(method).get("return", "")))
    ]
    for module, written in waiting:
        for name in re.findall(r"[A-Z]\w+", written):
            kind = _find(module, name)
            if isinstance(kind, type) and dataclasses.is_dataclass(kind):
                found.add(kind)
    return found


def _public(namespace: type) -> Iterator[Any]:
    for name, member in vars(namespace).items():
        if not name.startswith("_"):
            found = member.fget if isinstance(member, property) else getattr(member, "__func__", member)
            if isinstance(found, types.FunctionType):
                yield found


def _find(module: types.ModuleType | None, name: str) -> Any:
    """Return what a name of an annotation is, also where it is imported for type checkers only."""
    if module is None:
        return None
    imported = re.search(rf"from (autokb[\w.]*) import (?:\([^)]*|[^\n]*)\b{name}\b", inspect.getsource(module))
    return getattr(importlib.import_module(imported[1]) if imported else module, name, None)


# -- all -------------------------------------------------------------------------------------------


def _table(head: tuple[str, ...], rows: Iterable[tuple[str, ...]]) -> list[str]:
    """Return a table as Markdown; a bar in a cell does not end it."""
    cells = [[cell.replace("|", "\\|").replace("\n", " ") for cell in row] for row in rows]
    if not cells:
        return []
    lines = [f"| {' | '.join(row)} |" for row in (list(head), *cells)]
    return [lines[0], "|---" * len(head) + "|", *lines[1:], ""]


REFERENCE: Mapping[str, Callable[[], str]] = {
    "reference/commands.md": commands,
    "reference/settings.md": settings,
    "reference/http.md": http,
    "reference/python.md": python,
    "thresholds.md": list_thresholds.page,
}
