"""``autokb evaluate`` with all its commands: a study of each is run, and shown as tables, a page or JSON."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from typer.core import TyperGroup

from autokb.cli.commands import Folder, IdField, Json, Ledger, MaxSize, Model, SettingsFile, TextField, TitleField
from autokb.cli.manual import Commands

if TYPE_CHECKING:
    from autokb.plugins.lab.evaluation.report import Record

Budget = Annotated[float | None, typer.Option(min=0.0, metavar="USD", help="Ask models for no more than this.")]
Study = Annotated[str, typer.Argument(metavar="PLUGIN.NAME", help="As autokb plugins lists it.")]


def _writable(page: Path | None) -> Path | None:
    """Refuse a page that cannot be written before any work is done for it (BadInputError)."""
    from autokb.cli.output import check_report

    check_report(page)
    return page


Report = Annotated[Path | None, typer.Option(metavar="FILE.html", help="Also write one HTML page.", callback=_writable)]


class Evaluations(TyperGroup):
    """Evaluations, in whose place a study of a plug-in may be named."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Read the words behind ``autokb evaluate``."""
        from autokb.core.plugins import is_of_plugin

        named = ["study"] if is_of_plugin("".join(args[:1])) else []
        return super().parse_args(ctx, _systems_joined([*named, *args]))


evaluate = Commands(cls=Evaluations, no_args_is_help=True)


def which_systems(usual: str) -> Any:
    """Return the option that names systems; the ``usual`` ones are taken without it."""
    return typer.Option(help=f"Which systems; several with commas or the option repeated. {usual} without it.")


def split_names(given: Iterable[str] | None) -> list[str]:
    """Return the names of an option that may be repeated, with commas or spaces between them."""
    return [name for words in given or () for name in words.replace(",", " ").split()]


def _systems_joined(words: list[str]) -> list[str]:
    """Let ``--systems raw bm25`` take both words, which an option of typer cannot: ``--systems raw,bm25``."""
    if "--systems" not in words:
        return words
    from autokb.plugins.lab.evaluation.system_names import names_systems

    start = words.index("--systems") + 1
    end = start
    while end < len(words) and names_systems(words[end]):
        end += 1
    return [*words[:start], ",".join(words[start:end]), *words[end:]] if end > start else words


def show(found: Record, as_json: bool, page: Path | None, title: str) -> None:
    """Write the HTML page where one is wanted, and print what was found: JSON, or tables as wide as the terminal."""
    from rich.console import Group

    from autokb.cli.output import emit, make_console
    from autokb.core.files import write_file
    from autokb.plugins.lab.evaluation.report import html_page, terminal_tables

    tables = found.as_tables()
    if page is not None:
        write_file(page, html_page(title, tables))
    emit(as_json, found.as_json(), lambda: Group(*terminal_tables(tables, make_console().width)))


@evaluate.command(
    epilog="Example: autokb evaluate retrieval kb --queries queries.jsonl --qrels qrels.tsv --systems raw autokb+hr  "
    "and  autokb evaluate retrieval kb --variations --model openai:NAME"
)
def retrieval(
    workspace: Folder,
    queries: Annotated[Path | None, typer.Option(help="JSONL with id and text.")] = None,
    qrels: Annotated[Path | None, typer.Option(help="TSV or trec: query id, document id, grade.")] = None,
    systems: Annotated[list[str] | None, which_systems("All but llm-wk")] = None,
    variations: Annotated[
        bool,
        typer.Option(
            "--variations", help="Ask the knowledge base's own child issues and chunks in other words instead."
        ),
    ] = False,
    sample: Annotated[
        int, typer.Option(min=1, help="Of how many child issues, and of how many chunks, variations are asked.")
    ] = 50,
    model: Model = "",
    budget: Budget = None,
    extra: Annotated[list[str] | None, typer.Argument(metavar="[SYSTEM]...", hidden=True)] = None,
    report: Report = None,
    json: Json = False,
) -> None:
    """Hit rate, MRR and nDCG of every retrieval system, with intervals and paired differences."""
    from autokb.app import SupportKB
    from autokb.cli.output import stage_bars

    named = split_names([*(systems or []), *(extra or [])])
    files = _files(queries, qrels, variations)
    kb = SupportKB.open(workspace, model=model)
    with stage_bars() as progress:
        found: Record
        if files is None:
            found = kb.evaluate.variations(named, sample, budget=budget, progress=progress)
        else:
            found = kb.evaluate.retrieval(*files, named, budget=budget, progress=progress)
    show(found, json, report, "Retrieval")


def _files(queries: Path | None, qrels: Path | None, variations: bool) -> tuple[Path, Path] | None:
    """Return the two files of labelled questions, or None where variations are asked; one way must be named."""
    from autokb.core.errors import BadInputError

    if variations:
        if queries or qrels:
            raise BadInputError("--variations makes its own questions; leave --queries and --qrels out.")
        return None
    if queries is None or qrels is None:
        raise BadInputError(
            "Name the questions with --queries and --qrels, or take --variations. See: autokb evaluate retrieval --help"
        )
    return queries, qrels


@evaluate.command(
    epilog="Example: autokb evaluate quality kb --sheet sheet.csv  (fill in the answers)  --read sheet.csv"
)
def quality(
    workspace: Folder,
    sheet: Annotated[Path | None, typer.Option(metavar="FILE.csv", help="Write a sheet for two annotators.")] = None,
    read: Annotated[Path | None, typer.Option(metavar="FILE.csv", help="Read a filled sheet.")] = None,
    most: Annotated[
        int | None, typer.Option(min=1, help="How many solutions the sheet holds, and a model judges, at most.")
    ] = None,
    model: Annotated[
        str, typer.Option(metavar="MODEL", help="Have this model judge the solutions too, for example openai:NAME.")
    ] = "",
    budget: Budget = None,
    report: Report = None,
    json: Json = False,
) -> None:
    """Granularity (Q_M), rules kept (Q_D) and, from a filled sheet, correctness (Q_C); a model's word stands apart."""
    from autokb.app import SupportKB
    from autokb.cli.output import stage_bars

    kb = SupportKB.open(workspace, model=model)
    with stage_bars() as progress:
        found = kb.evaluate.quality(sheet, read, most, judge=bool(model), budget=budget, progress=progress)
    show(found, json, report, "Quality")


@evaluate.command(hidden=True, epilog="Example: autokb evaluate study notes.first kb")
def study(name: Study, workspace: Folder, model: Model = "", report: Report = None, json: Json = False) -> None:
    """What a study that a plug-in brings finds."""
    from autokb.app import SupportKB
    from autokb.plugins.lab.namespace import EvaluateNamespace

    show(EvaluateNamespace.study(SupportKB.open(workspace, model=model), name), json, report, name)


@evaluate.command(epilog="Example: autokb evaluate compare before.json after.json --metric hit_rate@1 --gate 0.02")
def compare(
    before: Annotated[Path, typer.Argument(metavar="BEFORE.json", help="What an evaluation printed with --json.")],
    after: Annotated[Path, typer.Argument(metavar="AFTER.json", help="What the same one printed later.")],
    metric: Annotated[
        str | None, typer.Option(help="For example hit_rate@1, autokb+hr.mrr or q_m; all without it.")
    ] = None,
    gate: Annotated[float | None, typer.Option(help="End with 1 when the metric fell by more than this.")] = None,
    report: Report = None,
    json: Json = False,
) -> int:
    """Compare two stored answers."""
    from autokb.plugins.lab.namespace import EvaluateNamespace

    comparison = EvaluateNamespace.compare(before, after, metric, gate)
    show(comparison, json, report, "Comparison")
    return comparison.exit_status


@evaluate.command(
    epilog="Example: autokb evaluate chunking manuals/ --methods auto_chunker,fixed --json  and, judged by a model:  "
    "autokb evaluate chunking manuals/ --judge openai:NAME --ledger judged.db"
)
def chunking(
    paths: Annotated[list[Path], typer.Argument(metavar="PATH...", help="Files and folders.")],
    methods: Annotated[
        list[str] | None, typer.Option(metavar="NAMES", help="Which methods, with commas between; all without it.")
    ] = None,
    max_size: MaxSize = 2048,
    model: Model = "",
    judge: Annotated[
        str, typer.Option(metavar="MODEL", help="A model that only judges and makes questions; chunkers stay offline.")
    ] = "",
    questions: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="JSONL: question, and perhaps document and references with start and end."),
    ] = None,
    gold: Annotated[
        Path | None, typer.Option(metavar="FILE", help="JSONL: document, and the text that should be kept of it.")
    ] = None,
    task: Annotated[str, typer.Option(help="What the chunks are to serve, in words; product support without it.")] = "",
    sample: Annotated[int, typer.Option(metavar="N", min=1, help="Chunks of a method that are judged at most.")] = 100,
    asked: Annotated[
        int, typer.Option(metavar="N", min=1, help="Without --questions: how often a model makes five of them.")
    ] = 8,
    budget: Budget = None,
    ledger: Ledger = None,
    report: Report = None,
    settings: SettingsFile = None,
    text_field: TextField = None,
    title_field: TitleField = None,
    id_field: IdField = None,
    json: Json = False,
) -> None:
    """Judge and count the chunks of every method; what is counted and what is judged stand apart."""
    from autokb.chunking.methods import METHODS
    from autokb.cli.output import say, stage_bars
    from autokb.pipeline.model_session import ModelOptions
    from autokb.plugins.lab.namespace import EvaluateNamespace
    from autokb.plugins.lab.studies.evaluate_chunking import SUPPORT, ChunkEvaluation
    from autokb.sources import Fields

    wanted = ChunkEvaluation(
        methods=tuple(dict.fromkeys(split_names(methods))) or METHODS,
        max_size=max_size,
        model=model,
        judge=judge,
        questions=questions,
        gold=gold,
        task=task.strip() or SUPPORT,
        sample=sample,
        asked=asked,
        ledger=ledger,
        settings=settings,
        fields=Fields(text_field or None, title_field or None, id_field or None),
    )
    if (model or judge) and ledger is None:
        say(["The model's replies are kept for this call only; with --ledger FILE they are paid for once."])
    with stage_bars() as progress:
        found = EvaluateNamespace.chunking(paths, wanted, progress, ModelOptions(budget))
    say(f"{failure.item}: {failure.reason}" for failure in found.usage.failures)
    show(found, json, report, "Chunking")


@evaluate.command(epilog="Example: autokb evaluate paper autokb headphones medical --html tables.html")
def paper(
    paper: Annotated[str, typer.Argument(metavar="PAPER", help="autokb, autochunker, tickets or suggestions.")],
    workspaces: Annotated[list[Path], typer.Argument(metavar="WORKSPACE...", help="Which workspaces are measured.")],
    judge: Annotated[str, typer.Option(metavar="MODEL", help="Fill what a model can judge, such as openai:NAME.")] = "",
    budget: Budget = None,
    cases: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE.jsonl",
            help="tickets: questions with right tickets, golden answers; autochunker: with places of their answers.",
        ),
    ] = None,
    sheets: Annotated[
        Path | None, typer.Option(metavar="FOLDER", help="autokb: write the sheets that people fill in.")
    ] = None,
    read: Annotated[Path | None, typer.Option(metavar="FOLDER", help="autokb: read the filled sheets.")] = None,
    html: Report = None,
    json: Json = False,
) -> None:
    """All tables of a paper: what was measured here with its interval, what the paper printed, what is missing."""
    from autokb.cli.output import stage_bars
    from autokb.plugins.lab.namespace import EvaluateNamespace

    with stage_bars() as progress:
        found = EvaluateNamespace.paper(
            paper,
            workspaces,
            judge=judge,
            budget=budget,
            cases=cases,
            sheets=sheets,
            filled=read,
            progress=progress,
        )
    show(found, json, html, f"The tables of the paper: {paper}")


@evaluate.command(epilog="Example: autokb evaluate retrievers kb --embedders packaged,local:models/minilm,openai:NAME")
def retrievers(
    workspace: Folder,
    embedders: Annotated[
        list[str] | None,
        typer.Option(
            metavar="EMBEDDER",
            help="packaged, local:FOLDER or openai:NAME; several with commas. The workspace's own without it.",
        ),
    ] = None,
    cases: Annotated[
        Path | None,
        typer.Option(help="JSONL with id, messages or text, and documents. Past issues with outcomes without it."),
    ] = None,
    budget: Budget = None,
    report: Report = None,
    json: Json = False,
) -> None:
    """Recall of documents by encoder and search, per cent over the worst, and cosines above thresholds."""
    from autokb.app import SupportKB
    from autokb.cli.output import say, stage_bars

    named = [name.strip() for words in embedders or () for name in words.split(",") if name.strip()]
    with stage_bars() as progress:
        kb = SupportKB.open(workspace)
        found = kb.evaluate.retrievers(named, cases, budget=budget, progress=progress)
    say(found.notes)
    show(found, json, report, "Retrievers")


@evaluate.command(
    epilog="Example: autokb evaluate suggestions kb --cases cases.jsonl --systems autokb,incumbent --sheet sheet.csv  "
    "and, judged by a model:  autokb evaluate suggestions kb --cases cases.jsonl --judge --model openai:NAME"
)
def suggestions(
    workspace: Folder,
    cases: Annotated[Path, typer.Option(help="JSONL with id, messages, reply (empty: to refuse) and documents.")],
    systems: Annotated[list[str] | None, which_systems("autokb and incumbent")] = None,
    baseline: Annotated[str, typer.Option(help="What the others are compared with; the incumbent without it.")] = "",
    judge: Annotated[bool, typer.Option("--judge", help="Have a model judge which suggestions are correct.")] = False,
    similarity: Annotated[
        str,
        typer.Option(
            metavar="EMBEDDER", help="Compare replies by this encoder too; it must not be the workspace's own."
        ),
    ] = "",
    sheet: Annotated[
        Path | None, typer.Option(metavar="FILE.csv", help="Write a blind sheet of two systems for two annotators.")
    ] = None,
    read: Annotated[Path | None, typer.Option(metavar="FILE.csv", help="Read a filled sheet.")] = None,
    most: Annotated[int | None, typer.Option(min=1, help="How many cases the sheet holds at most.")] = None,
    seed: Annotated[int, typer.Option(min=0, help="What the sheet's order and sides are drawn by.")] = 0,
    model: Model = "",
    budget: Budget = None,
    report: Report = None,
    json: Json = False,
) -> None:
    """Coverage, documents, consistency and likeness to people's replies, with intervals and paired differences."""
    from autokb.app import SupportKB
    from autokb.cli.output import say, stage_bars
    from autokb.plugins.lab.studies.evaluate_suggestions import SuggestionEvaluation

    wanted = SuggestionEvaluation(
        cases=cases,
        systems=tuple(split_names(systems)),
        baseline=baseline,
        judge=judge,
        similarity=similarity,
        sheet=sheet,
        read=read,
        most=most,
        seed=seed,
    )
    with stage_bars() as progress:
        found = SupportKB.open(workspace, model=model).evaluate.suggestions(wanted, budget=budget, progress=progress)
    say(found.notes)
    show(found, json, report, "Suggestions")


@evaluate.command(epilog="Example: autokb evaluate tickets kb --queries queries.jsonl --qrels qrels.tsv")
def tickets(
    workspace: Folder,
    queries: Annotated[Path, typer.Option(help="JSONL with id and text, perhaps created and components.")],
    qrels: Annotated[Path, typer.Option(help="TSV or trec: query id, ticket id, grade.")],
    systems: Annotated[list[str] | None, which_systems("All")] = None,
    report: Report = None,
    json: Json = False,
) -> None:
    """MRR, recall and nDCG of tickets by each signal alone and together, beside plain text chunks."""
    from autokb.app import SupportKB
    from autokb.cli.output import stage_bars

    with stage_bars() as progress:
        found = SupportKB.open(workspace).evaluate.tickets(queries, qrels, split_names(systems), progress=progress)
    show(found, json, report, "Tickets")
