"""What is suggested beside what people replied to Thunderbird's later questions.

The earlier 70 % of the questions build the knowledge base and give the incumbent its past answers, the
later 30 % are the cases. A case's reply is a helper's answer (never the asker's own) that was accepted, else the first
that links an article about the matter; its links are taken out, and the articles they lead to are its documents.
"""

from __future__ import annotations

import argparse
import gzip
import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from autokb.plugins.lab.evaluation.report import answer_tables, terminal_tables
from autokb.stats.bootstrap import mean_interval
from benchmarks import thunderbird
from benchmarks.figures import Figure, Result
from benchmarks.retrieval import split
from benchmarks.running import autokb, folder, write_jsonl

SYSTEMS = "autokb,autokb+gold,incumbent"
FEWEST_WORDS = 8  # of an answer without its links; fewer only point somewhere
_URL = re.compile(r"(?:https?://|www\.)\S+")
_ARTICLE = re.compile(r"support\.mozilla\.org/\S*?kb/")
HEADLINES = (
    "coverage@3",
    "document_right@1",
    "document_right@3",
    "consistency@3",
    "consistent_sentences@3",
    "quotes_verbatim",
    "tfidf_similarity@1",
    "tfidf_similarity@3",
    "tfidf_similarity_answered@1",
    "rouge_l@1",
    "rouge_l@3",
    "words",
    "distinctness",
)


def run(options: argparse.Namespace) -> Result:
    """Build the knowledge base and evaluate what is suggested."""
    with folder() as place:
        answer = _thunderbird(place, tuning=options.tuning)
    _print(answer)
    name = "suggestions_tuning" if options.tuning else "suggestions"
    return Result(name, _figures("thunderbird", answer, HEADLINES), {"thunderbird": _kept(answer)})


def _thunderbird(place: Path, *, tuning: bool) -> dict[str, Any]:
    """Evaluate the suggestions for the later questions, the earlier ones known with what resolved them."""
    answers = helpers_answers()
    asked, history = split(thunderbird.issues(), tuning=tuning)
    workspace = place / "kb"
    thunderbird.stage(workspace, history)
    chats = write_jsonl(place / "chats.jsonl", list(past_chats(history, answers)))
    autokb("add", workspace, chats, "--as", "chats")
    thunderbird.build(workspace)
    made = list(cases(asked, answers))
    file = write_jsonl(place / "cases.jsonl", [{k: v for k, v in c.items() if k != "accepted"} for c in made])
    found = autokb("evaluate", "suggestions", workspace, "--cases", file, "--systems", SYSTEMS).answer
    accepted = [case["id"] for case in made if case["accepted"]]
    return {**found, "accepted": _of_cases(found, accepted)}


def helpers_answers() -> dict[str, list[dict[str, Any]]]:
    """Read what helpers answered each question, in their order; what askers wrote themselves is no reply to them."""
    path = thunderbird.data_folder() / "raw_issues.jsonl.gz"
    with gzip.open(path, "rt", encoding="utf-8", newline="\n") as file:
        records = [json.loads(line) for line in file]
    return {r["issue_id"]: [a for a in r["answers"] if not a["by_asker"]] for r in records}


def cases(
    asked: Iterable[Mapping[str, Any]], answers: Mapping[str, Sequence[Mapping[str, Any]]]
) -> Iterator[dict[str, Any]]:
    """Give a case for each question that a helper's answer was accepted for, or that one links an article for."""
    for issue in asked:
        reply, accepted = chosen_reply(answers[issue["issue_id"]], links=bool(issue["gold_kb"]))
        if reply:
            yield {
                "id": issue["issue_id"],
                "messages": [{"role": "customer", "text": question(issue)}],
                "reply": reply,
                "documents": [link["slug"] for link in issue["gold_kb"]],
                "accepted": accepted,
            }


def past_chats(
    history: Iterable[Mapping[str, Any]], answers: Mapping[str, Sequence[Mapping[str, Any]]]
) -> Iterator[dict[str, Any]]:
    """Give the earlier questions as conversations: the incumbent also has answers that would be no case's reply."""
    for issue in history:
        given = answers[issue["issue_id"]]
        reply = chosen_reply(given, links=True)[0] or next(filter(None, map(_without_links, given)), "")
        if reply:
            messages = [{"role": "customer", "text": question(issue)}, {"role": "agent", "text": reply}]
            yield {"conversation": issue["issue_id"], "messages": messages}


def question(issue: Mapping[str, Any]) -> str:
    """Return what was asked: title and text."""
    return f"{issue['title']}\n{issue['text']}"


def chosen_reply(given: Sequence[Mapping[str, Any]], *, links: bool) -> tuple[str, bool]:
    """Return the accepted answer, else (with ``links``) the first that links an article; and whether it is accepted."""
    for accepted in (True, False):
        for answer in given:
            if (answer["is_accepted_solution"] if accepted else links and _ARTICLE.search(answer["text"])) and (
                text := _without_links(answer)
            ):
                return text, accepted
    return "", False


def _without_links(answer: Mapping[str, Any]) -> str:
    """Return an answer without addresses, nothing where hardly a word is left."""
    text = "\n".join(" ".join(line.split()) for line in _URL.sub(" ", answer["text"]).split("\n"))
    return text.strip() if len(text.split()) >= FEWEST_WORDS else ""


def _of_cases(answer: Mapping[str, Any], ids: Sequence[str]) -> dict[str, Any]:
    """Return every metric over these cases alone."""
    found: dict[str, Any] = {"cases": len(ids)}
    for system, body in answer["systems"].items():
        for metric, values in body["per_query"].items():
            if kept := [values[i] for i in ids if i in values]:
                found.setdefault(system, {})[metric] = _rounded(mean_interval(kept).as_json())
    return found


def _figures(name: str, answer: Mapping[str, Any], metrics: Sequence[str]) -> list[Figure]:
    """Return the headlines of each system with their intervals, and the differences to the incumbent."""
    found = [Figure(f"{name}.cases", answer["cases"]["questions"]["n"])]
    for system, body in answer["systems"].items():
        for metric in metrics:
            if metric in body["metrics"]:
                at_least = 1.0 if system == "autokb" and metric in ("consistency@3", "quotes_verbatim") else None
                ends = body["metrics"][metric]
                found.append(Figure(f"{name}.{system}.{metric}", ends["value"], at_least=at_least))
                found += [Figure(f"{name}.{system}.{metric}.{end}", ends[end]) for end in ("low", "high")]
    for d in answer["differences"]:
        if d["system"] == "autokb" and d["metric"] in metrics:
            found += [
                Figure(f"{name}.autokb over {d['baseline']}.{d['metric']}{suffix}", d[part])
                for suffix, part in (("", "value"), (".low", "low"), (".high", "high"), (".p", "p_value"))
            ]
    return found


def _kept(answer: Mapping[str, Any]) -> dict[str, Any]:
    systems = {n: {"metrics": b["metrics"], "verdicts": b["verdicts"]} for n, b in answer["systems"].items()}
    kept = {
        "systems": systems,
        "differences": answer["differences"],
        "cases": answer["cases"],
        "notes": answer["notes"],
    }
    return dict(_rounded({**kept, **({"accepted": answer["accepted"]} if "accepted" in answer else {})}))


def _rounded(value: Any) -> Any:
    if isinstance(value, dict):
        return {k: _rounded(v) for k, v in value.items()}
    if isinstance(value, list):
        return [_rounded(v) for v in value]
    return round(value, 4) if isinstance(value, float) else value


def _print(answer: Mapping[str, Any]) -> None:
    from rich.console import Console

    console = Console(width=200)
    for table in terminal_tables(answer_tables(answer)):
        console.print(table)
