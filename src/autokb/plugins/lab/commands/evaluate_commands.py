"""``autokb evaluate``: retrieval, quality, and two stored answers side by side."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from typer.core import TyperGroup

from autokb.cli.commands import Folder, Json, Model
from autokb.cli.manual import Commands

if TYPE_CHECKING:
    from autokb.plugins.lab.evaluation.report import Chart, ReportTable

Budget = Annotated[float | None, typer.Option(min=0.0, metavar="USD", help="Ask models for no more than this.")]
Study = Annotated[str, typer.Argument(metavar="PLUGIN.NAME", help="As autokb plugins lists it.")]
Report = Annotated[Path | None, typer.Option(metavar="FILE.html", help="Also write one HTML page.")]


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
    from autokb.cli.output import check_report, stage_bars

    check_report(report)
    named = split_names([*(systems or []), *(extra or [])])
    files = _files(queries, qrels, variations)
    kb = SupportKB.open(workspace, model=model)
    with stage_bars() as progress:
        if files is None:
            answer = kb.evaluate.variations(named, sample, budget=budget, progress=progress).as_json()
        else:
            answer = kb.evaluate.retrieval(*files, named, budget=budget, progress=progress).as_json()
    show_measures(answer, json, report, "Retrieval")


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
    from autokb.cli.output import check_report, stage_bars

    check_report(report)
    kb = SupportKB.open(workspace, model=model)
    with stage_bars() as progress:
        answer = kb.evaluate.quality(sheet, read, most, judge=bool(model), budget=budget, progress=progress)
    show_measures(answer.as_json(), json, report, "Quality")


@evaluate.command(hidden=True, epilog="Example: autokb evaluate study notes.first kb")
def study(name: Study, workspace: Folder, model: Model = "", report: Report = None, json: Json = False) -> None:
    """What a study that a plug-in brings finds."""
    from autokb.app import SupportKB
    from autokb.cli.output import check_report

    check_report(report)
    show_measures(SupportKB.open(workspace, model=model).study(name).as_json(), json, report, name)


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
    from autokb.cli.output import check_report, make_console
    from autokb.plugins.lab.evaluation.report import comparison_tables
    from autokb.plugins.lab.namespace import EvaluateNamespace

    check_report(report)
    comparison = EvaluateNamespace.compare(before, after, metric, gate)
    answer = comparison.as_json()
    show_answer(answer, json, report, "Comparison", comparison_tables(answer), width=make_console().width)
    return comparison.exit_status


def split_names(given: Iterable[str] | None) -> list[str]:
    """Return the names of an option that may be repeated, with commas or spaces between them."""
    return [name for words in given or () for name in words.replace(",", " ").split()]


def _systems_joined(words: list[str]) -> list[str]:
    """Let ``--systems raw bm25`` take both words, which an option of typer cannot: ``--systems raw,bm25``."""
    if "--systems" not in words:
        return words
    from autokb.plugins.lab.evaluation.retrieval.system_names import names_systems

    start = words.index("--systems") + 1
    end = start
    while end < len(words) and names_systems(words[end]):
        end += 1
    return [*words[:start], ",".join(words[start:end]), *words[end:]] if end > start else words


def show_measures(answer: Mapping[str, Any], as_json: bool, report: Path | None, title: str) -> None:
    """Print metrics with their intervals and differences, and write the page."""
    from autokb.plugins.lab.evaluation.report import answer_tables, systems_chart

    show_answer(answer, as_json, report, title, answer_tables(answer), systems_chart(answer))


def show_answer(
    answer: Mapping[str, Any],
    as_json: bool,
    report: Path | None,
    title: str,
    tables: Sequence[ReportTable],
    chart: Chart | None = None,
    width: int | None = None,
) -> None:
    """Write the HTML report where one is wanted, and print the answer: JSON, or tables of at most ``width`` columns."""
    from rich.console import Group

    from autokb.cli.output import emit
    from autokb.core.files import write_file
    from autokb.plugins.lab.evaluation.report import fit_width, html_page, terminal_tables

    if report is not None:
        write_file(report, html_page(title, tables, chart))
    fitted = tables if width is None else [part for table in tables for part in fit_width(table, width)]
    emit(as_json, answer, lambda: Group(*terminal_tables(fitted)))
