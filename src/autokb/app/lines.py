"""What a well-formed line of the export looks like."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from autokb.app.workspace import DOMAIN_FILE, parse_yaml
from autokb.core.domain import read_domain
from autokb.core.errors import BadInputError
from autokb.core.ids import canonical_json
from autokb.retrieval.gate import read_gate
from autokb.retrieval.weights import read_weights

KINDS = ("document", "raw_issue", "theme", "seed", "issue", "solution", "setting", "edit")
STATUSES = ("displayed", "repaired", "withheld", "rejected", "approved")
VERDICTS = ("kept", "broken", "not applicable", "not judged")

TEXTS: Mapping[str, tuple[str, ...]] = {
    "document": ("title", "text"),
    "raw_issue": ("text",),
    "theme": ("name",),
    "seed": ("raw_issue", "theme"),
    "issue": ("text",),
    "solution": ("issue_id", "text"),
    "setting": (),
    "edit": ("solution_id",),
}
MAYBE_TEXTS: Mapping[str, tuple[str, ...]] = {
    "document": ("url",),
    "raw_issue": ("title", "date", "theme", "seed", "issue", "reason"),
    "issue": ("parent_id", "seed"),
    "solution": ("reason",),
    "edit": ("text", "author", "date"),
}
MAYBE_LISTS: Mapping[str, tuple[str, ...]] = {
    "raw_issue": ("resolved_by",),
    "issue": ("raw_issues",),
    "edit": ("steps",),
}


def check_line(body: Any) -> None:
    """Raise ValueError with a sentence when a line is not one of ours."""
    if not isinstance(body, dict):
        raise ValueError("it is no JSON object")
    kind, record_id = body.get("kind"), body.get("id")
    if kind not in KINDS:
        raise ValueError(f"its kind {kind!r} is unknown; kinds are {', '.join(KINDS)}")
    if not isinstance(record_id, str) or not record_id.strip():
        raise ValueError("it has no id")
    where = f"{kind} {record_id!r}"
    if not record_id.isprintable():
        raise ValueError(f"{where}: an id is one line of plain characters")
    try:
        canonical_json(body).encode("utf-8")
    except UnicodeEncodeError as error:
        raise ValueError(f"{where} holds half a character (a lone surrogate)") from error
    _check_texts(kind, body, where)
    if kind in ("issue", "solution"):
        _check_attributes(body.get("attributes"), where)
    if kind == "solution":
        _check_solution(body, where)
    if kind == "edit" and not (body.get("text") or body.get("steps")):
        raise ValueError(f"{where} needs the edited text or steps")
    if kind == "setting":
        _check_setting(record_id, body, where)


def _check_texts(kind: str, body: Mapping[str, Any], where: str) -> None:
    for name in TEXTS[kind]:
        if not isinstance(body.get(name), str):
            raise ValueError(f"{where} needs {name} as text")
    for name in MAYBE_TEXTS.get(kind, ()):
        if not isinstance(body.get(name), str | None):
            raise ValueError(f"{where}: {name} must be text")
    for name in MAYBE_LISTS.get(kind, ()):
        if body.get(name) is not None and not _strings(body[name]):
            raise ValueError(f"{where}: {name} must be a list of strings")


def _strings(value: Any) -> bool:
    return isinstance(value, list) and all(isinstance(v, str) for v in value)


def _check_attributes(attributes: Any, where: str) -> None:
    if not (isinstance(attributes, dict) and all(v and _strings(v) for v in attributes.values())):
        raise ValueError(f"{where} needs attributes as lists of strings, for example {{'os': ['Any']}}")


def _check_solution(body: Mapping[str, Any], where: str) -> None:
    if body.get("status") not in STATUSES:
        raise ValueError(f"{where} needs a status: {', '.join(STATUSES)}")
    if not _strings(body.get("steps")):
        raise ValueError(f"{where} needs steps as a list of strings")
    if not isinstance(body.get("evidence"), list) or not all(map(_is_evidence, body["evidence"])):
        raise ValueError(f"{where} needs evidence: a list of document, start, end and quote")
    rules = body.get("rules")
    if rules is not None and not (isinstance(rules, list) and all(map(_is_verdict, rules))):
        raise ValueError(f"{where}: rules must be a list of rule, verdict ({', '.join(VERDICTS)}) and reason")


def _is_evidence(value: Any) -> bool:
    return (
        isinstance(value, dict)
        and all(isinstance(value.get(name), str) for name in ("document", "quote"))
        and all(type(value.get(name)) is int for name in ("start", "end"))
    )


def _is_verdict(value: Any) -> bool:
    return (
        isinstance(value, dict)
        and all(isinstance(value.get(name), str) for name in ("rule", "reason"))
        and value.get("verdict") in VERDICTS
    )


def _check_setting(name: str, body: Mapping[str, Any], where: str) -> None:
    """Refuse a setting that would end every later command."""
    try:
        if name == "weights":
            read_weights(body)
        elif name == "gate":
            read_gate(body)
        elif name == "domain":
            if not isinstance(body.get("yaml"), str):
                raise ValueError(f"{where} needs yaml as text")
            read_domain(parse_yaml(body["yaml"], DOMAIN_FILE))
    except BadInputError as error:
        raise ValueError(f"{where}: {error}") from error
