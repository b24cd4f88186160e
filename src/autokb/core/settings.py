"""The settings of a workspace: ``settings.yaml``, which environment variables named AUTOKB_* override."""

from __future__ import annotations

import re
import shlex
import warnings
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, field, replace
from typing import Annotated, Any, Literal, get_args, get_type_hints

from autokb.core.errors import AutokbWarning, BadEntryError, as_value, shown_value
from autokb.core.helpdesk_settings import HelpdeskSettings
from autokb.core.in_use import ArmSettings
from autokb.core.plugins import PluginError, installed, is_of_plugin, model_of_section, plugins, said, use
from autokb.core.source_settings import SourceSettings
from autokb.core.validation import (
    Entry,
    Name,
    Share,
    Switch,
    Word,
    number,
    one_of,
    read_as,
    sentence_of,
    slip_of,
    types_of,
    whole_number,
)

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
SECTIONS_OF_PLUGINS = ("sources", "helpdesks")  # that plug-ins of ours read
_Number = Annotated[int, whole_number(1, LARGEST_NUMBER)]
_Rows = Annotated[int, whole_number(0, LARGEST_NUMBER, "a number of rows, from 0")]
_Probability = Annotated[float, number(0, 1, "a probability, a number from 0 to 1")]
_Price = Annotated[float, number(0, HIGHEST_PRICE, f"a number from 0 to {HIGHEST_PRICE:.0f} (USD a million tokens)")]
_DayBudget = Annotated[float, number(0, HIGHEST_DAY_BUDGET, f"an amount from 0 to {HIGHEST_DAY_BUDGET:.0f} USD")]
_Effort = Annotated[str, one_of(*EFFORTS, words=f"one of {', '.join(EFFORTS)}; {DEFAULT_EFFORT} sends none")]
_Wait = Annotated[
    float, number(0, LONGEST_WAIT, f"a number of seconds, more than 0 and at most {LONGEST_WAIT:.0f}", exclusive=True)
]


def _read_origins(value: Any) -> tuple[str, ...] | None:
    origins = value or ()
    listed = origins if isinstance(origins, list | tuple) else (origins,)
    # As an address bar has a site; an origin has no slash, with which a browser would compare a path.
    sites = tuple(one.removesuffix("/") for one in listed if isinstance(one, str))
    return sites if len(sites) == len(listed) and all(map(_ORIGIN.fullmatch, sites)) else None


_Origins = Annotated[
    tuple[str, ...], Entry("a list of sites such as https://help.example.com, without a path", _read_origins)
]


def _read_command(value: Any) -> tuple[str, ...] | None:
    """Return the words of a command; None where it has none, or a quotation mark is never closed."""
    try:
        return tuple(shlex.split(value)) or None if isinstance(value, str) else None
    except ValueError:
        return None


def _read_suffix(value: Any) -> str | None:
    return value.lower() if isinstance(value, str) and _SUFFIX.fullmatch(value) else None


_OcrCommand = Annotated[tuple[str, ...], Entry("a command, such as: tesseract {file} -", _read_command)]
_Converter = Annotated[tuple[str, ...], Entry("a command, such as: pandoc -f rst -t gfm {file}", _read_command)]
_Suffix = Annotated[str, Entry("a suffix such as .rst", _read_suffix)]


def _read_prices(value: Any) -> Any:
    """Check that each model has a price of what it reads and of what it writes."""
    for model, price in value.items() if isinstance(value, Mapping) else ():
        if not isinstance(price, Mapping) or not {"input", "output"} <= set(price):
            raise ValueError(f": the price of {shown_value(model)} needs input and output in USD a million tokens")
    return value


def _read_checks(value: Any) -> Any:
    return [str(one) for one in value or ()] if value is None or isinstance(value, list | tuple) else None


@dataclass(frozen=True, slots=True)
class AnswerSettings:
    """How questions are answered: below ``caution``, a probability of being on topic, it abstains."""

    caution: _Probability = CAUTION


@dataclass(frozen=True, slots=True)
class AskSettings:
    """Which model chooses among what a question finds, if any; the offline answer stands in for it.

    It does where the reply takes more than ``timeout`` seconds, and where ``budget_per_day`` (USD) is spent; days are
    those of UTC. In the ``style`` reply it also writes one from the steps that are shown.
    """

    model: Word = OFFLINE_MODEL
    timeout: _Wait = 4.0
    budget_per_day: _DayBudget = 5.0
    style: Annotated[str, one_of(*STYLES)] = STEPS


@dataclass(frozen=True, slots=True)
class GraphSettings:
    """Which engine answers Cypher about tickets."""

    store: Annotated[str, one_of(*GRAPH_STORES)] = "ladybug"


@dataclass(frozen=True, slots=True)
class SearchSettings:
    """How many rows (texts that are compared with a question) a knowledge base has to have to be searched in Postgres.

    Below, and where the store is no Postgres, each process holds it in memory.
    """

    in_database_from: _Rows = SEARCHED_IN_DATABASE_FROM


@dataclass(frozen=True, slots=True)
class EmbedSettings:
    """The ask box that other sites show: pages of which ``origins`` may, and none may where there are none.

    An address may ask ``a_minute`` questions, and no more at once. It is what the last of so many trusted ``proxies``
    says in X-Forwarded-For; without a proxy it is the connection's own.
    """

    origins: _Origins = ()
    a_minute: Annotated[int, whole_number(1, MOST_OF_EMBED)] = EMBED_A_MINUTE
    proxies: Annotated[int, whole_number(0, MOST_OF_EMBED)] = 0


@dataclass(frozen=True, slots=True)
class ClusteringSettings:
    """How raw issues are clustered: ``reduce`` is one of ``REDUCTIONS``."""

    reduce: Annotated[Reduction, one_of(*REDUCTIONS)] = "pca"


@dataclass(frozen=True, slots=True)
class MaxLoss:
    """How much worse than what readers see a version may do in a team's checks.

    ``first`` and ``outcome`` are the shares by which what comes first, and the outcome, may be right less often;
    ``trees`` is that by which the trees' solutions may fit their customers' issues less often.
    """

    first: Share = GATE_MARGIN
    outcome: Share = GATE_MARGIN
    trees: Share = GATE_MARGIN


@dataclass(frozen=True, slots=True)
class GateSettings(MaxLoss):
    """What keeps a version from readers: a loss that is too large, or one of the checks that ``must`` stay right."""

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

    model: Word = OFFLINE_MODEL
    tasks: Mapping[Name, Word] = field(default_factory=dict)
    embedder: Word = "packaged"
    reranker: Word = NO_RERANKER
    reranker_seconds: _Number = 2
    base_url: Word = ""
    concurrency: _Number = 8
    timeout: _Number = 120
    retries: Annotated[int, whole_number(0, LARGEST_NUMBER)] = 5
    window: _Number = 0
    max_output: _Number = 4096
    max_reply_bytes: _Number = MAX_REPLY_BYTES
    chunker: Word = "fixed"
    max_size: _Number = CHUNK_SIZE
    context: Word = ""
    scratchpad: Switch = False
    show_doubted: Switch = False
    rule_reasons: Switch = False
    prices: Annotated[Mapping[Name, Mapping[str, _Price]], Entry(read=_read_prices)] = field(default_factory=dict)
    answer: AnswerSettings = AnswerSettings()
    ask: AskSettings = AskSettings()
    clustering: ClusteringSettings = ClusteringSettings()
    reasoning_effort: Mapping[Name, _Effort] = field(default_factory=dict)
    graph: GraphSettings = GraphSettings()
    search: SearchSettings = SearchSettings()
    embed: EmbedSettings = field(default=EmbedSettings(), metadata={"key": False})
    log_questions: Switch = True
    keep_versions: _Number = KEPT_VERSIONS
    stale_after: _Number = STALE_AFTER
    experiment: ArmSettings = NO_EXPERIMENT
    gate: GateSettings | None = None
    sources: Mapping[str, SourceSettings] = field(default_factory=dict)
    helpdesks: Mapping[str, HelpdeskSettings] = field(default_factory=dict, metadata={"key": False})
    store: Word = ""
    executor: Word = field(default=LOCAL_EXECUTOR, metadata={"key": False})
    failure_tolerance: Share = field(default=FAILURE_TOLERANCE, metadata={"key": False})
    plugins: Mapping[Name, Annotated[Mapping[str, Any], Entry("a mapping with its settings")]] = field(
        default_factory=dict, metadata={"key": False}
    )
    convert: Mapping[_Suffix, _Converter] = field(default_factory=dict, metadata={"key": False})
    ocr: _OcrCommand = field(default=(), metadata={"key": False})

    def effort_of(self, model: str) -> str:
        """Return the reasoning effort that is set for ``provider:NAME``, under either spelling; empty where none is."""
        return self.reasoning_effort.get(model) or self.reasoning_effort.get(model.partition(":")[2], "")


# Settings that a variable of the environment named AUTOKB_* overrides: the words and whole numbers.
OVERRIDABLE = tuple(name for name, kind in get_type_hints(Settings).items() if kind in (str, int))


def read_settings(data: Any, environment: Mapping[str, str] | None = None, text: str = "") -> Settings:
    """Turn the parsed ``settings.yaml`` and the environment into settings (BadEntryError names the entry).

    ``text`` is what was parsed: where it is given, the line of a setting that is none can be said.
    """
    data = {} if data is None else data
    if not isinstance(data, Mapping):
        raise BadEntryError("settings.yaml must be a mapping, for example: model: offline")
    if "rooms" in data:  # what earlier versions called tasks
        others = {name: value for name, value in data.items() if name != "rooms"}
        data = {**others, "tasks": data.get("tasks") or data["rooms"]}
    _refuse_no_settings(data, text)
    given = {name: _read_entry(name, value) for name, value in data.items() if value is not None}
    found = Settings(**(given | _read_variables(environment or {})))
    _warn_of_missing_plugins(found)
    _warn_of_unread_sections(found)
    return found


def _refuse_no_settings(data: Mapping[Any, Any], text: str) -> None:
    known = sorted(types_of(Settings))
    for name in data:
        if name not in known:
            meant = slip_of(name, known)
            hint = f"did you mean {meant}?" if meant else f"the settings are {', '.join(known)}."
            raise BadEntryError(f"settings.yaml{_line_of(name, text)}: {shown_value(name)} is not a setting; {hint}")


def _read_variables(environment: Mapping[str, str]) -> dict[str, Any]:
    """Read the settings that variables of the environment override."""
    variables = {name: environment.get(f"AUTOKB_{name.upper()}") for name in OVERRIDABLE}
    return {name: _read_entry(name, value) for name, value in variables.items() if value}


def _warn_of_missing_plugins(settings: Settings) -> None:
    if missing := missing_plugins(settings):
        listed = ", ".join(sorted(missing))
        warnings.warn(
            f"settings.yaml needs plug-ins that are not installed or do not load ({listed}); what they bring is out of "
            "reach. See: autokb plugins",
            AutokbWarning,
            stacklevel=3,
        )


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
        from pydantic_core.core_schema import ErrorType

        own = {"type": "of the plug-in", "loc": (), "msg": said(error, declared.settings)}
        first: Mapping[str, Any] = error.errors()[0] if hasattr(error, "errors") else own
        in_its_words = first.get("ctx", {}).get("error") or (first["type"] not in get_args(ErrorType) and first["msg"])
        if in_its_words:  # which may say what somebody wrote
            first = {**first, "type": "value_error", "ctx": {"error": f": {as_value(str(in_its_words))}"}}
        known = tuple(getattr(model, "model_fields", ()))
        raise BadEntryError(sentence_of(first, f"settings.yaml: plugins: {plugin}", known=known)) from None


def _read_of_plugin(name: str, value: Any) -> Any:
    """Read a section that one of our own plug-ins reads; nothing, with a warning, where that one is missing."""
    try:
        model = model_of_section(name)
    except PluginError as error:
        warnings.warn(f"{error} What it brings is out of reach. See: autokb plugins", AutokbWarning, stacklevel=4)
        return {}
    return model.model_validate(read_as(Mapping[Name, Any], value, "settings.yaml", name))


def _read_experiment(name: str, value: Any) -> ArmSettings:
    """Read an experiment, which is on where anything is said of it."""
    found: ArmSettings = read_as(ArmSettings, value, "settings.yaml", name)
    return found if "enabled" in value else replace(found, enabled=True)


@dataclass(frozen=True, slots=True)
class _Gate:
    """``gate:`` as it is written."""

    max_loss: MaxLoss = MaxLoss()
    must: Annotated[tuple[str, ...], Entry("a list of ids of checks", _read_checks)] = ()


def _read_gate(name: str, value: Any) -> GateSettings:
    gate: _Gate = read_as(_Gate, value, "settings.yaml", name)
    return GateSettings(**asdict(gate.max_loss), must=gate.must)


# What reads an entry that is not read as the type that it has.
_READERS: Mapping[str, Callable[[str, Any], Any]] = {
    **dict.fromkeys(SECTIONS_OF_PLUGINS, _read_of_plugin),
    "experiment": _read_experiment,
    "gate": _read_gate,
}


def _read_entry(name: str, value: Any) -> Any:
    if name in _READERS:
        return _READERS[name](name, value)
    return read_as(types_of(Settings)[name], value, "settings.yaml", name)


def _line_of(name: Any, text: str) -> str:
    """Return the line of an entry that begins one, empty where none does."""
    found = re.search(rf"""^(['"]?){re.escape(str(name))}\1\s*:""", text, re.MULTILINE) if text else None
    return f", line {text.count(chr(10), 0, found.start()) + 1}" if found else ""
