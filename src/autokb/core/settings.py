"""The settings of a workspace: ``settings.yaml``, which environment variables named AUTOKB_* override."""

from __future__ import annotations

import re
import shlex
import warnings
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields, replace
from typing import Any, Literal, get_args

from autokb.core.errors import AutokbWarning, BadEntryError, as_value, shown_value
from autokb.core.helpdesk_settings import HelpdeskSettings
from autokb.core.in_use import ArmSettings
from autokb.core.plugins import PluginError, installed, is_of_plugin, model_of_section, plugins, said, use
from autokb.core.setting_values import read_number
from autokb.core.source_settings import SourceSettings

CHUNK_SIZE = 2048  # characters, as in section 3.2.1 of the AutoKB paper
STALE_AFTER = 365  # days after which a document that nobody has changed is looked at again: a year
KEPT_VERSIONS = 20  # of the knowledge base, the newest among them; some months of weekly builds
MAX_REPLY_BYTES = 8_000_000  # some hundred times what a model writes into 4,096 tokens
LARGEST_NUMBER = 1_000_000_000  # of seconds, tokens, characters and bytes: more is a slip of the keyboard
HIGHEST_PRICE = 1_000_000.0  # USD a million tokens, so a dollar a token
SEARCHED_IN_DATABASE_FROM = 200_000  # rows; up to there they are compared exactly in memory (decision 4)
GATE_MARGIN = 0.02  # of all checks: one of fifty
FAILURE_TOLERANCE = 0.05  # of a stage's items: one of twenty
EMBED_A_MINUTE = 20  # questions of an address: a person reads the answers, an office shares one
MOST_OF_EMBED = 100_000
_ORIGIN = re.compile(r"https?://(\*\.)?[a-z0-9]([a-z0-9.-]*[a-z0-9])?(:[0-9]{1,5})?", re.ASCII | re.IGNORECASE)
_SUFFIX = re.compile(r"\.[A-Za-z0-9_-]{1,20}")
CAUTION = 0.5  # the least probability of being on topic at which a question is answered
NO_RERANKER = "none"
OFFLINE_MODEL = "offline"
HIGHEST_DAY_BUDGET = 1_000_000.0  # USD; more is a slip of the keyboard
LONGEST_WAIT = 600.0  # seconds for a model at question time: nobody waits longer
DEFAULT_EFFORT = "default"  # a reasoning effort that is the provider's own: none is sent
EFFORTS = ("none", "minimal", "low", "medium", "high", "xhigh", "max", DEFAULT_EFFORT)
Reduction = Literal["pca", "umap", "none"]  # what vectors go through before they are clustered
REDUCTIONS: tuple[str, ...] = get_args(Reduction)
GRAPH_STORES = ("ladybug",)
STEPS, REPLY = STYLES = ("steps", "reply")  # of an answer
NO_EXPERIMENT = ArmSettings()
LOCAL_EXECUTOR = "local"  # where a build's work is done
_DIGITS = 10  # of LARGEST_NUMBER


@dataclass(frozen=True, slots=True)
class AnswerSettings:
    """How questions are answered: below ``caution``, a probability of being on topic, it abstains."""

    caution: float = CAUTION


@dataclass(frozen=True, slots=True)
class AskSettings:
    """Which model chooses among what a question finds, if any; the offline answer stands in for it.

    It does where the reply takes more than ``timeout`` seconds, and where ``budget_per_day`` (USD) is spent; days are
    those of UTC. In the ``style`` reply it also writes one from the steps that are shown.
    """

    model: str = OFFLINE_MODEL
    timeout: float = 4.0
    budget_per_day: float = 5.0
    style: str = STEPS


@dataclass(frozen=True, slots=True)
class GraphSettings:
    """Which engine answers Cypher about tickets."""

    store: str = "ladybug"


@dataclass(frozen=True, slots=True)
class SearchSettings:
    """How many rows (texts that are compared with a question) a knowledge base has to have to be searched in Postgres.

    Below, and where the store is no Postgres, each process holds it in memory.
    """

    in_database_from: int = SEARCHED_IN_DATABASE_FROM


@dataclass(frozen=True, slots=True)
class EmbedSettings:
    """The ask box that other sites show: pages of which ``origins`` may, and none may where there are none.

    An address may ask ``a_minute`` questions, and no more at once. It is what the last of so many trusted ``proxies``
    says in X-Forwarded-For; without a proxy it is the connection's own.
    """

    origins: tuple[str, ...] = ()
    a_minute: int = EMBED_A_MINUTE
    proxies: int = 0


@dataclass(frozen=True, slots=True)
class ClusteringSettings:
    """How raw issues are clustered: ``reduce`` is one of ``REDUCTIONS``."""

    reduce: Reduction = "pca"


@dataclass(frozen=True, slots=True)
class GateSettings:
    """How much worse than what readers see a version may do in a team's checks, and which of these must stay right.

    ``first`` and ``outcome`` are the shares by which what comes first, and the outcome, may be right less often;
    ``trees`` is that by which the trees' solutions may fit their customers' issues less often.
    """

    first: float = GATE_MARGIN
    outcome: float = GATE_MARGIN
    trees: float = GATE_MARGIN
    must: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Settings:
    """Models, embedder, chunker and prices; the defaults run offline at no cost.

    A ``reranker`` may take ``reranker_seconds`` of a question, which is answered without it if it needs more.
    ``timeout`` is in seconds a request, ``retries`` are those after the first try; ``window`` are the tokens that the
    model can read (0: what is known of it), ``max_output`` those that it may write in one reply. A reply of more than
    ``max_reply_bytes``, as it comes or unpacked, is refused. ``context`` is document, chained or woven (empty: as the
    mode asks). ``reasoning_effort`` is by model: one of ``EFFORTS``, where none is named a low one is sent to models
    that reason. With a ``scratchpad`` a model without hidden reasoning reasons in its reply before it writes solutions
    or reads attributes.
    ``show_doubted`` displays what a model says may break a rule, ``rule_reasons`` has it say how each rule is kept.
    With ``log_questions`` the service keeps the newest questions that it is asked, masked; ``experiment`` says which
    conversations get suggestions. ``keep_versions`` are those that can be shown again, the newest among them. A
    document that nobody has changed for more than ``stale_after`` days is told as outdated. ``sources`` are what
    ``sync`` reads, ``helpdesks`` where messages of customers come from, by name. The ``executor`` does a build's work:
    ``local``, ``ray`` or ``ray://HOST:PORT``; it is in no key, for it changes no result. A build in which more than
    the ``failure_tolerance`` of a stage's items fail, a share, publishes nothing; nor is that in any key. ``plugins``
    are the sections of plug-ins as they are written (``section_of`` reads one), ``convert`` the commands that turn
    files into Markdown or HTML, by their suffixes, ``ocr`` the one that turns
    a picture of a page into text.
    """

    model: str = OFFLINE_MODEL
    tasks: Mapping[str, str] = field(default_factory=dict)
    embedder: str = "packaged"
    reranker: str = NO_RERANKER
    reranker_seconds: int = 2
    base_url: str = ""
    concurrency: int = 8
    timeout: int = 120
    retries: int = 5
    window: int = 0
    max_output: int = 4096
    max_reply_bytes: int = MAX_REPLY_BYTES
    chunker: str = "fixed"
    max_size: int = CHUNK_SIZE
    context: str = ""
    scratchpad: bool = False
    show_doubted: bool = False
    rule_reasons: bool = False
    prices: Mapping[str, Mapping[str, float]] = field(default_factory=dict)
    answer: AnswerSettings = AnswerSettings()
    ask: AskSettings = AskSettings()
    clustering: ClusteringSettings = ClusteringSettings()
    reasoning_effort: Mapping[str, str] = field(default_factory=dict)
    graph: GraphSettings = GraphSettings()
    search: SearchSettings = SearchSettings()
    embed: EmbedSettings = field(default=EmbedSettings(), metadata={"key": False})
    log_questions: bool = True
    keep_versions: int = KEPT_VERSIONS
    stale_after: int = STALE_AFTER
    experiment: ArmSettings = NO_EXPERIMENT
    gate: GateSettings | None = None
    sources: Mapping[str, SourceSettings] = field(default_factory=dict)
    helpdesks: Mapping[str, HelpdeskSettings] = field(default_factory=dict, metadata={"key": False})
    store: str = ""
    executor: str = field(default=LOCAL_EXECUTOR, metadata={"key": False})
    failure_tolerance: float = field(default=FAILURE_TOLERANCE, metadata={"key": False})
    plugins: Mapping[str, Mapping[str, Any]] = field(default_factory=dict, metadata={"key": False})
    convert: Mapping[str, tuple[str, ...]] = field(default_factory=dict, metadata={"key": False})
    ocr: tuple[str, ...] = field(default=(), metadata={"key": False})

    def effort_of(self, model: str) -> str:
        """Return the reasoning effort that is set for ``provider:NAME``, under either spelling; empty where none is."""
        return self.reasoning_effort.get(model) or self.reasoning_effort.get(model.partition(":")[2], "")


_NAMES = {kind: tuple(one.name for one in fields(Settings) if one.type == kind) for kind in ("str", "bool", "int")}
WORDS, SWITCHES, NUMBERS = _NAMES["str"], _NAMES["bool"], _NAMES["int"]


# Complex: the spelling of earlier versions, unknown names and empty entries must be settled before any value is read.
def read_settings(data: Any, environment: Mapping[str, str] | None = None, text: str = "") -> Settings:
    """Turn the parsed ``settings.yaml`` and the environment into settings (BadEntryError names the entry).

    ``text`` is what was parsed: where it is given, the line of a setting that is none can be said.
    """
    if data is None:
        data = {}
    if not isinstance(data, Mapping):
        raise BadEntryError("settings.yaml must be a mapping, for example: model: offline")
    if "rooms" in data:  # what earlier versions called tasks
        named = {str(k): v for k, v in data.items() if k != "rooms"}
        data = {**named, "tasks": data.get("tasks") or data["rooms"]}
    known = {f.name for f in fields(Settings)}
    if stray := [name for name in data if name not in known]:
        line, names = _line_of(stray[0], text), ", ".join(sorted(known))
        raise BadEntryError(f"settings.yaml{line}: {shown_value(stray[0])} is not a setting; the settings are {names}.")
    settings = replace(
        Settings(), **{name: _check_value(name, value) for name, value in data.items() if value is not None}
    )
    found = _apply_environment(settings, environment or {})
    if missing := missing_plugins(found):
        listed = ", ".join(sorted(missing))
        warnings.warn(
            f"settings.yaml needs plug-ins that are not installed or do not load ({listed}); what they bring is out of "
            "reach. See: autokb plugins",
            AutokbWarning,
            stacklevel=2,
        )
    _warn_of_unread_sections(found)
    return found


def _warn_of_unread_sections(settings: Settings) -> None:
    """Say which sections under ``plugins:`` nothing reads: the plug-in has no settings, or one of ours reads others."""
    for name in settings.plugins:
        one = plugins().installed.get(name)
        if one is not None and (one.plugin.section or not one.plugin.settings):
            where = f"its settings are under {one.plugin.section}:" if one.plugin.section else "it has no settings"
            warnings.warn(f"settings.yaml: plugins: {name} is not read; {where}.", AutokbWarning, stacklevel=3)


def named_plugins(settings: Settings) -> set[str]:
    """Return the plug-ins that settings name: by a section, or by an implementation PLUGIN.NAME."""
    words = [settings.chunker, settings.embedder, settings.reranker, settings.executor]
    words += [*(one.type for one in settings.sources.values()), *settings.helpdesks, *settings.tasks]
    words += settings.store.split("://")[:-1]  # the scheme
    return {*settings.plugins, *(word.partition(".")[0] for word in words if is_of_plugin(word))}


def missing_plugins(settings: Settings) -> set[str]:
    """Return the plug-ins that settings name and that are not there."""
    named = named_plugins(settings)
    return named - plugins().installed.keys() if named else named


def section_of(settings: Settings, plugin: str) -> Any:
    """Return a plug-in's section of the settings as its pydantic model (BadEntryError names what is wrong)."""
    declared = installed(plugin)
    if declared.section:
        return getattr(settings, declared.section)
    model = use(plugin, declared.settings, "pydantic model")
    try:
        return model.model_validate(settings.plugins.get(plugin, {}))
    except Exception as error:  # of pydantic, or of a check of the plug-in's own
        told = {"loc": (), "msg": said(error, declared.settings)}
        first: Any = error.errors()[0] if hasattr(error, "errors") else told
        place = ": ".join(map(str, ("plugins", plugin, *first["loc"])))
        raise BadEntryError(f"settings.yaml: {place}: {as_value(str(first['msg']))}.") from None


def _section(name: str, value: Any) -> Any:
    """Return a section that one of our own plug-ins reads; nothing, with a warning, where that one is missing."""
    try:
        model = model_of_section(name)
    except PluginError as error:
        warnings.warn(f"{error} What it brings is out of reach. See: autokb plugins", AutokbWarning, stacklevel=4)
        return {}
    return model.model_validate(value)


def _line_of(name: Any, text: str) -> str:
    """Return the line of an entry that begins one, empty where none does."""
    found = re.search(rf"""^(['"]?){re.escape(str(name))}\1\s*:""", text, re.MULTILINE) if text else None
    return f", line {text.count(chr(10), 0, found.start()) + 1}" if found else ""


def _apply_environment(settings: Settings, environment: Mapping[str, str]) -> Settings:
    changes = {}
    for name in (*WORDS, *NUMBERS):
        if value := environment.get(f"AUTOKB_{name.upper()}"):
            changes[name] = _check_value(name, value)
    return replace(settings, **changes)


def _check_value(name: str, value: Any) -> Any:
    if name in WORDS:
        return _read_word(name, value)
    if name in NUMBERS:
        return _read_whole_number(name, value)
    if name in SWITCHES:
        return _read_switch(name, value)
    if name == "failure_tolerance":
        return _read_share(name, value)
    if name == "ocr":
        return _read_ocr(value)
    if not isinstance(value, Mapping):
        raise BadEntryError(f"settings.yaml: {name} must be a mapping, not {shown_value(value)}.")
    if name in _READERS:
        return _READERS[name](value)
    if name == "reasoning_effort":
        return {_read_word(f"{name}: a model", model): _read_effort(model, effort) for model, effort in value.items()}
    return {
        _read_word(f"{name}: a task", task): _read_word(f"{name}: the model of {as_value(str(task))}", model)
        for task, model in value.items()
    }


def _read_word(name: str, value: Any) -> str:
    if not isinstance(value, str):
        raise BadEntryError(f"settings.yaml: {name} must be a word, not {shown_value(value)}.")
    return value.strip()


def _read_switch(name: str, value: Any) -> bool:
    """Read true or false; settings.yaml gives the word as it is written."""
    text = str(value).strip().casefold()
    if text not in ("true", "false"):
        raise BadEntryError(f"settings.yaml: {name} must be true or false, not {shown_value(value)}.")
    return text == "true"


def _read_whole_number(name: str, value: Any) -> int:
    """Read a number that YAML or the environment gave; a text of digits of another script is none."""
    text = value.strip() if isinstance(value, str) else value
    if isinstance(text, str) and text.isascii() and text.isdigit() and len(text) <= _DIGITS:
        text = int(text)
    least = 0 if name == "retries" else 1
    if type(text) is not int or not least <= text <= LARGEST_NUMBER:
        raise BadEntryError(
            f"settings.yaml: {name} must be a whole number of at least {least} and at most {LARGEST_NUMBER}, not "
            f"{shown_value(value)}."
        )
    return text


def _read_prices(value: Mapping[Any, Any]) -> dict[str, dict[str, float]]:
    prices = {}
    for model, price in value.items():
        if not isinstance(price, Mapping) or not {"input", "output"} <= set(price):
            raise BadEntryError(
                f"settings.yaml: the price of {shown_value(model)} needs input and output in USD a million tokens."
            )
        prices[str(model) if type(model) is int else _read_word("a model that has a price", model)] = {
            str(kind): _read_price(as_value(f"{model}: {kind}"), usd) for kind, usd in price.items()
        }
    return prices


def _refuse_others(entry: str, value: Mapping[Any, Any], kind: type[Any]) -> None:
    """Refuse what stands under an entry and is none of the settings of its kind."""
    known = [f.name for f in fields(kind)]
    if stray := [name for name in value if name not in known]:
        taken = ", ".join(known) if len(known) > 1 else f"{known[0]} alone"
        raise BadEntryError(f"settings.yaml: {entry} takes {taken}, not {shown_value(stray[0])}.")


def _read_answer(value: Mapping[Any, Any]) -> AnswerSettings:
    _refuse_others("answer", value, AnswerSettings)
    return AnswerSettings(_read_share("answer: caution", value.get("caution", CAUTION), "probability"))


def _read_ask(value: Mapping[Any, Any]) -> AskSettings:
    _refuse_others("ask", value, AskSettings)
    usual = AskSettings()
    timeout = read_number(value.get("timeout", usual.timeout))
    if not 0 < timeout <= LONGEST_WAIT:
        raise BadEntryError(
            f"settings.yaml: ask: timeout must be a number of seconds, more than 0 and at most {LONGEST_WAIT:.0f}, not "
            f"{shown_value(value['timeout'])}."
        )
    budget = read_number(value.get("budget_per_day", usual.budget_per_day))
    if not 0 <= budget <= HIGHEST_DAY_BUDGET:
        raise BadEntryError(
            f"settings.yaml: ask: budget_per_day must be an amount from 0 to {HIGHEST_DAY_BUDGET:.0f} USD, not "
            f"{shown_value(value['budget_per_day'])}."
        )
    style = value.get("style", usual.style)
    if style not in STYLES:
        raise BadEntryError(f"settings.yaml: ask: style must be {' or '.join(STYLES)}, not {shown_value(style)}.")
    return AskSettings(_read_word("ask: model", value.get("model", usual.model)), timeout, budget, style)


def _read_clustering(value: Mapping[Any, Any]) -> ClusteringSettings:
    _refuse_others("clustering", value, ClusteringSettings)
    reduce = value.get("reduce", "pca")
    if reduce not in REDUCTIONS:
        raise BadEntryError(
            f"settings.yaml: clustering: reduce must be {', '.join(REDUCTIONS)}, not {shown_value(reduce)}."
        )
    return ClusteringSettings(reduce)


def _read_search(value: Mapping[Any, Any]) -> SearchSettings:
    _refuse_others("search", value, SearchSettings)
    rows = value.get("in_database_from", SEARCHED_IN_DATABASE_FROM)
    if type(rows) is not int or not 0 <= rows <= LARGEST_NUMBER:
        raise BadEntryError(
            f"settings.yaml: search: in_database_from must be a number of rows, from 0, not {shown_value(rows)}."
        )
    return SearchSettings(rows)


def _read_embed(value: Mapping[Any, Any]) -> EmbedSettings:
    _refuse_others("embed", value, EmbedSettings)
    origins = value.get("origins") or ()
    listed = origins if isinstance(origins, list | tuple) else (origins,)
    # As an address bar has a site; an origin has no slash, with which a browser would compare a path.
    sites = tuple(one.removesuffix("/") if isinstance(one, str) else one for one in listed)
    for one in sites:
        if not isinstance(one, str) or not _ORIGIN.fullmatch(one):
            raise BadEntryError(
                "settings.yaml: embed: origins must be a list of sites such as https://help.example.com, without a "
                f"path, not {shown_value(one)}."
            )
    numbers = {}
    for name, least in (("a_minute", 1), ("proxies", 0)):
        number = value.get(name, getattr(EmbedSettings(), name))
        if type(number) is not int or not least <= number <= MOST_OF_EMBED:
            raise BadEntryError(
                f"settings.yaml: embed: {name} must be a whole number from {least} to {MOST_OF_EMBED}, not "
                f"{shown_value(number)}."
            )
        numbers[name] = number
    return EmbedSettings(sites, **numbers)


def _read_graph(value: Mapping[Any, Any]) -> GraphSettings:
    _refuse_others("graph", value, GraphSettings)
    found = GraphSettings(**{name: _read_word(f"graph: {name}", word) for name, word in value.items()})
    if found.store not in GRAPH_STORES:
        raise BadEntryError(
            f"settings.yaml: graph: store must be {' or '.join(GRAPH_STORES)}, not {shown_value(found.store)}."
        )
    return found


def _read_experiment(value: Mapping[Any, Any]) -> ArmSettings:
    _refuse_others("experiment", value, ArmSettings)
    usual = NO_EXPERIMENT
    share = _read_share("experiment: share", value.get("share", usual.share))
    salt = value.get("salt", usual.salt)
    if type(salt) is int:  # a year, perhaps, which YAML reads as a number
        salt = str(salt)
    enabled = _read_switch("experiment: enabled", value.get("enabled", True))
    return ArmSettings(enabled, share, _read_word("experiment: salt", salt))


def _read_gate(value: Mapping[Any, Any]) -> GateSettings:
    if stray := [name for name in value if name not in ("max_loss", "must")]:
        raise BadEntryError(f"settings.yaml: gate takes max_loss and must, not {shown_value(stray[0])}.")
    losses, must = value.get("max_loss") or {}, value.get("must") or []
    if not isinstance(must, list | tuple):
        raise BadEntryError(f"settings.yaml: gate: must is a list of ids of checks, not {shown_value(must)}.")
    return GateSettings(**_read_margins(losses), must=tuple(str(one) for one in must))


def _read_margins(losses: Any) -> dict[str, float]:
    if not isinstance(losses, Mapping) or not set(losses) <= {"first", "outcome", "trees"}:
        raise BadEntryError(
            "settings.yaml: gate: max_loss takes shares, such as {first: 0.02, outcome: 0.02, trees: 0.02}."
        )
    return {str(name): _read_share(f"gate: max_loss: {name}", share) for name, share in losses.items()}


def _read_plugins(value: Mapping[Any, Any]) -> dict[str, Mapping[str, Any]]:
    if wrong := [name for name, section in value.items() if not isinstance(section, Mapping)]:
        raise BadEntryError(f"settings.yaml: plugins: {shown_value(wrong[0])} must be a mapping with its settings.")
    return {str(name): section for name, section in value.items()}


def _read_convert(value: Mapping[Any, Any]) -> dict[str, tuple[str, ...]]:
    found = {}
    for suffix, command in value.items():
        words = _words_of_command(command)
        if not words or not _SUFFIX.fullmatch(str(suffix)):
            raise BadEntryError(
                "settings.yaml: convert takes commands by suffixes, such as .rst: pandoc -f rst -t gfm {file}, not "
                f"{shown_value(suffix)}: {shown_value(command)}."
            )
        found[str(suffix).lower()] = words
    return found


def _words_of_command(command: Any) -> tuple[str, ...]:
    """Return the words of a command; none where it has none, or a quotation mark is never closed."""
    try:
        return tuple(shlex.split(command)) if isinstance(command, str) else ()
    except ValueError:
        return ()


def _read_ocr(command: Any) -> tuple[str, ...]:
    words = _words_of_command(command)
    if not words:
        raise BadEntryError(
            f"settings.yaml: ocr takes a command, such as: tesseract {{file}} -, not {shown_value(command)}."
        )
    return words


_READERS: Mapping[str, Callable[[Mapping[Any, Any]], Any]] = {
    "prices": _read_prices,
    "answer": _read_answer,
    "ask": _read_ask,
    "clustering": _read_clustering,
    "graph": _read_graph,
    "search": _read_search,
    "embed": _read_embed,
    "experiment": _read_experiment,
    "gate": _read_gate,
    "sources": lambda value: _section("sources", value),
    "helpdesks": lambda value: _section("helpdesks", value),
    "plugins": _read_plugins,
    "convert": _read_convert,
}


def _read_effort(model: str, value: Any) -> str:
    if value not in EFFORTS:
        raise BadEntryError(
            f"settings.yaml: the reasoning_effort of {as_value(model)} must be one of {', '.join(EFFORTS)}, not "
            f"{shown_value(value)}; {EFFORTS[-1]} sends none."
        )
    return str(value)


def _read_price(where: str, value: Any) -> float:
    usd = read_number(value)
    if not 0 <= usd <= HIGHEST_PRICE:
        raise BadEntryError(
            f"settings.yaml: the price of {where} must be a number from 0 to {HIGHEST_PRICE:.0f} (USD a million "
            f"tokens), not {shown_value(value)}."
        )
    return usd


def _read_share(name: str, value: Any, kind: str = "share") -> float:
    share = read_number(value)
    if not 0 <= share <= 1:
        raise BadEntryError(f"settings.yaml: {name} must be a {kind}, a number from 0 to 1, not {shown_value(value)}.")
    return share
