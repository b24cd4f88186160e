"""What a plug-in can bring: the declarations of the entry points ``autokb.plugins``.

A package declares ``[project.entry-points."autokb.plugins"]`` with ``NAME = "package.module:plugin"``, where ``plugin``
is a ``Plugin``. That module is imported whenever plug-ins are looked up, so it imports nothing but this one: code is
named as ``"package.module:function"`` and imported when it is used. Every name that a plug-in brings begins with its
own, so that no two can want the same; ``docs/plugins.md`` has the signatures.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import MISSING, dataclass, field, fields, is_dataclass
from itertools import chain
from typing import Any, Final, Literal, get_args

What = Literal["function or class", "pydantic model", "value"]  # that code has to be
Role = Literal["reader", "agent", "editor", "admin"]
ROLES: tuple[Role, ...] = get_args(Role)  # each may do what those before it may
SIGNED: Final = "signature"  # in the place of a role: the path checks a signature itself, and no key counts
# What a command, a page, a path, a namespace, a tool or a table of autokb is called or begins with; no plug-in may be.
RESERVED = frozenset(
    "add api app approve ask autokb build candidate changes checks chunk close closed compare conversation costs "
    "create created curation demo diff digest discard dismiss doctor documents draft edit embed evaluate evaluation "
    "experiment explain export feedback follow gaps gate health helpdesks hide history hook hooks http https import "
    "init insight issues judging keys knowledge lab load local login logout mail markup mcp metrics move none "
    "office open openai outcomes packaged past pg plan plugins postgres publish questions rank ray read ready "
    "reject remove report request review rollback search serve settings show solutions sources sqlite stale static "
    "study suggest sync themes ticket tickets trends trial undo usage v1 vacuum versions views w watch workspace "
    "workspaces write".split()
)
_TABLES = frozenset(".csv .gz .json .jsonl .ndjson .tab .tsv".split())
_PAGES = frozenset(".docx .htm .html .markdown .md .mdx .mediawiki .pdf .text .txt .wiki .xhtml".split())
# Suffixes of files that autokb reads or writes itself; no plug-in of others is asked for them.
SUFFIXES = {"formats": _TABLES | _PAGES, "records": _TABLES, "exports": frozenset((".csv", ".jsonl", ".md"))}
MENU = ("/", "/ask", "/knowledge", "/review", "/in-use", "/evaluation", "/settings")  # behind which a page may stand
LINKED = ("/review", "/in-use", "/knowledge")  # pages of ours that have links to pages of plug-ins
OF_OURS = ("beside", "lists", "planned", "takes", "experiments")  # kinds whose code works on what may change any day
_TYPES: Mapping[str, Any] = {"tuple": (tuple, list), "Mapping": Mapping, "bool": bool}  # of fields; others are texts
# Fields with a name of code, beside the mappings; and those, whose code is not a function or class.
_NAME_CODE = ("settings", "namespace", "doctor", "workers", "findings", "function", "arguments", "answer")
_MODEL: What = "pydantic model"
_NO_FUNCTIONS: Mapping[str, What] = {"settings": _MODEL, "arguments": _MODEL, "answer": "value", "tasks": "value"}
_NAME = re.compile(r"[a-z][a-z0-9]{1,30}")
_CODE = re.compile(r"[A-Za-z_][\w.]*:[A-Za-z_]\w*")
_SUFFIX = re.compile(r"\.[a-z0-9_-]{1,20}")
_STATEMENT = re.compile(
    r"\s*(?:CREATE (?:UNIQUE )?(?:TABLE|INDEX)|(?:ALTER|DROP) (?:TABLE|INDEX)|INSERT INTO|UPDATE|DELETE FROM) "
    r"(?:IF (?:NOT )?EXISTS )?(\w+)"
)


@dataclass(frozen=True, slots=True)
class Command:
    """A command: a function that typer takes, or a ``typer.Typer`` of several; ``help`` is its line in the list.

    An ``example`` stands at the end of the command's help.
    """

    name: str
    function: str
    help: str
    example: str = ""


@dataclass(frozen=True, slots=True)
class Route:
    """A path of the interface, below ``/v1/NAME``: a function that FastAPI takes, for callers of a role.

    One that is ``SIGNED`` is for callers without a key; only a ``built_in`` plug-in may have it. ``answer`` names the
    type of the JSON that it gives, for the description of all paths.
    """

    path: str
    function: str
    role: Role | Literal["signature"] = ""  # type: ignore[assignment]  # without one it does not load
    method: str = "GET"
    answer: str = ""


@dataclass(frozen=True, slots=True)
class Page:
    """A page, below ``/NAME``: a function that FastAPI takes, for callers of a role.

    With a ``menu`` it stands under that name in the menu, behind the entry with the path ``after`` (else at the end);
    or, as a link, at the top of our page ``on``, which is ``/review``, ``/in-use`` or ``/knowledge``.
    """

    path: str
    function: str
    role: Role = ""  # type: ignore[assignment]  # without one it does not load
    method: str = "GET"
    menu: str = ""
    after: str = ""
    on: str = ""


@dataclass(frozen=True, slots=True)
class Tool:
    """A tool of the MCP server: a function of the knowledge base, the role and its arguments, which returns JSON.

    ``arguments`` is a pydantic model of the arguments. One that ``writes`` is offered with ``--allow-writes`` only.
    """

    name: str
    function: str
    arguments: str
    description: str
    role: Role = "reader"
    writes: bool = False


@dataclass(frozen=True, slots=True)
class Counter:
    """A counter among the figures of the service; of its labels none is a text that a client chose."""

    name: str
    help: str
    labels: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Plugin:
    """Everything that a plug-in brings; all of it is optional but the name.

    ``settings`` is a pydantic model of its section of ``settings.yaml``, ``namespace`` a class that is made with the
    knowledge base and is its attribute. ``tables`` are migrations, numbered from 1 by their place: SQL statements that
    SQLite and Postgres both take. ``doctor`` and the values of ``digest``, by their titles, are functions that give
    lines. ``workers`` is a class with the port ``autokb.web.workers.Workers``, which works beside the requests of a
    service. Implementations are named by what settings call them: ``chunkers={"lines": ...}`` of the plug-in ``notes``
    is ``chunker: notes.lines``; ``formats`` and ``exports`` by the suffix of their files, as ``records``, which are
    of files that hold several documents, issues, tickets or messages. ``includes`` are functions that put the texts of
    other files in their places before a file of ``formats`` is read. ``stores={"vault": ...}`` is for addresses that
    begin with ``notes.vault://``.

    A ``built_in`` plug-in is part of autokb: it may use the reserved words, and no other package may declare one. Its
    implementations are named as settings spell them: ``ray``, and ``ray://HOST:PORT`` for one that takes an address.
    So are its ``stores``, ``postgresql://USER@HOST/DATABASE?schema=NAME``.
    ``extra`` names the extra that it needs, with executors the module that this installs; ``section`` the section of
    ``settings.yaml`` that its ``settings`` read, and ``attribute`` the name of its ``namespace``, where these have
    always been called so. ``findings`` is a function of the open store and the settings, whose ``Finding``s ``doctor``
    tells as its own, problems among them. ``methods`` are functions behind methods of ``SupportKB``'s own namespaces,
    which give them the workspace and its solutions in memory. It may know
    more than the knowledge base, which is built by itself: ``beside`` opens what answers customers from that, ``lists``
    what people search in it, ``planned`` says what its build would ask a model, ``takes`` takes its lines of an export
    in, and ``experiments`` are what evaluations compare.
    """

    name: str
    summary: str = ""
    settings: str = ""
    namespace: str = ""
    commands: tuple[Command, ...] = ()
    routes: tuple[Route, ...] = ()
    pages: tuple[Page, ...] = ()
    templates: str = ""  # the package with a folder ``templates``, which pages name as NAME/FILE
    tables: tuple[str, ...] = ()
    tools: tuple[Tool, ...] = ()
    doctor: str = ""
    workers: str = ""
    digest: Mapping[str, str] = field(default_factory=dict)
    formats: Mapping[str, str] = field(default_factory=dict)
    records: Mapping[str, str] = field(default_factory=dict)
    includes: Mapping[str, str] = field(default_factory=dict)
    exports: Mapping[str, str] = field(default_factory=dict)
    sources: Mapping[str, str] = field(default_factory=dict)
    chunkers: Mapping[str, str] = field(default_factory=dict)
    embedders: Mapping[str, str] = field(default_factory=dict)
    rerankers: Mapping[str, str] = field(default_factory=dict)
    executors: Mapping[str, str] = field(default_factory=dict)
    stores: Mapping[str, str] = field(default_factory=dict)
    helpdesks: Mapping[str, str] = field(default_factory=dict)
    features: Mapping[str, str] = field(default_factory=dict)
    studies: Mapping[str, str] = field(default_factory=dict)
    tasks: Mapping[str, str] = field(default_factory=dict)
    beside: Mapping[str, str] = field(default_factory=dict)
    lists: Mapping[str, str] = field(default_factory=dict)
    planned: Mapping[str, str] = field(default_factory=dict)
    takes: Mapping[str, str] = field(default_factory=dict)
    experiments: Mapping[str, str] = field(default_factory=dict)
    extra: str = ""
    section: str = ""
    attribute: str = ""
    findings: str = ""
    counters: tuple[Counter, ...] = ()
    methods: Mapping[str, str] = field(default_factory=dict)
    built_in: bool = False

    def __post_init__(self) -> None:
        """Refuse what could not be told from others' (ValueError)."""
        checks = (_wrong_types(self), self._wrong_names(), *(() if self.built_in else (self._only_ours(),)))
        for wrong in chain(*checks, self._wrong_code()):  # each is true of the types that the first has checked
            raise ValueError(wrong)

    def code(self) -> Iterator[tuple[str, What]]:
        """Give every name of code with what it has to be."""
        declared: tuple[Any, ...] = (self, *self.commands, *self.routes, *self.pages, *self.tools)
        for one, name in ((part, each.name) for part in declared for each in fields(part)):
            value = getattr(one, name)
            codes = value.values() if isinstance(value, Mapping) else [value] if name in _NAME_CODE and value else ()
            yield from ((code, _NO_FUNCTIONS.get(name, "function or class")) for code in codes)

    def _wrong_names(self) -> Iterator[str]:
        name = self.name
        if not _NAME.fullmatch(name) or name in RESERVED - self._ours():
            yield f"{name!r} cannot be the name of a plug-in: two or more small letters and digits, no word of autokb's"
        kinds: tuple[tuple[tuple[Any, ...], str, str, tuple[str, ...]], ...] = (
            *((self.commands, name, "-", ROLES), (self.tools, name, "_", ROLES)),
            *((self.routes, f"/v1/{name}", "/", (*ROLES, SIGNED)), (self.pages, f"/{name}", "/", ROLES)),
        )
        for one, start, then, roles in ((one, *rules) for many, *rules in kinds for one in many):
            called = _called(one)
            word = called.removeprefix("/v1").strip("/").split(then)[0]
            if not f"{called}{then}".startswith(start + then) and word not in self._ours():
                yield f"the {type(one).__name__.lower()} {called!r} must be {start} or begin with {start}{then}"
            if getattr(one, "role", ROLES[0]) not in roles:
                yield f"{called!r} needs a role: {', '.join(ROLES)}"

    def _only_ours(self) -> Iterator[str]:
        if self.section:
            yield f"{self.section!r} cannot be its section; its settings stand in plugins: {self.name}:"
        if self.attribute:
            yield f"{self.attribute!r} cannot be its attribute; its namespace is kb.{self.name}"
        if self.findings or self.counters or self.methods:
            yield "findings, counters and methods are for plug-ins that come with autokb; doctor gives lines"
        yield from (f"{kind} are for plug-ins that come with autokb" for kind in OF_OURS if getattr(self, kind))
        yield from (f"{one.path!r} needs a role: {', '.join(ROLES)}" for one in self.routes if one.role == SIGNED)

    def _ours(self) -> frozenset[str]:
        return RESERVED if self.built_in else frozenset()

    def _wrong_code(self) -> Iterator[str]:
        unnamed = (one for one, _ in self.code() if not _is_code(one))
        yield from (f"{one!r} names no code; write package.module:function" for one in unnamed)
        for statement in filter(str.strip, ";".join(self.tables).split(";")):
            if not ((found := _STATEMENT.match(statement)) and found[1].startswith(f"{self.name}_")):
                yield f"{statement.strip()[:40]!r} must make or change a table or index called {self.name}_..."
        suffixes = (*self.formats, *self.records, *self.includes, *self.exports)
        yield from (f"{one!r} must be a suffix such as .note" for one in suffixes if not _SUFFIX.fullmatch(one))


def _wrong_types(declared: Any, holder: str = "a plug-in") -> Iterator[str]:
    """Give a sentence for each value of a declaration that is not of its field's type, or is empty and must not be."""
    for one in fields(declared):
        value, kind = getattr(declared, one.name), str(one.type)
        parts = value if isinstance(value, tuple | list) else ()
        is_of_type = isinstance(value, _TYPES.get(kind.partition("[")[0], str))
        if not is_of_type or any(type(part).__name__ not in kind for part in parts):
            yield f"{one.name!r} of {holder} must be {kind}, and is {value!r}"
        if value == "" and one.default is MISSING:
            yield f"{holder} needs its {one.name!r}"
        for part in filter(is_dataclass, parts):
            yield from _wrong_types(part, f"the {type(part).__name__.lower()} {_called(part)!r}")


def _called(one: Any) -> Any:
    return getattr(one, "path", "") or one.name


def _is_code(name: object) -> bool:
    return isinstance(name, str) and _CODE.fullmatch(name) is not None
