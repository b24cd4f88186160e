"""What people and programs see of the product, written into a folder, so that two checkouts can be compared.

``python -m benchmarks.behaviour FOLDER`` in each of both, then ``diff -r`` of the two folders: help of every command,
OpenAPI, the JSON and text of commands over a small workspace, every path and page that takes no more than an id, and
the exports. Times and what is drawn by chance are replaced; both checkouts must stand at paths that are equally long.
"""

from __future__ import annotations

import contextlib
import io
import json
import re
import shutil
import sys
import tempfile
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

import typer

from benchmarks.serving import hand_made_kb

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))
import small_tickets

QUESTION = "my iphone cannot pair with the robot"
COMMANDS = """
show KB|show KB pair|show KB blades-both|issues KB|plan KB|costs KB|sources KB|changes KB|versions KB|checks list KB
ask KB 'QUESTION'|ask KB 'QUESTION' --explain|ask KB 'the blades tear the grass' --attribute model=Hopper
suggest KB 'QUESTION'|suggest KB 'QUESTION' --strategy plain|suggest KB 'the app crashes with the camera'
tickets show KB|tickets show KB APP-1|tickets ask KB 'how was the crash of the camera fixed?'|tickets show KB APP-99
tickets ask KB 'how is APP-1 linked to APP-2?'|tickets similar KB APP-1|tickets similar KB 'last page'
tickets report KB --by component|tickets report KB --by nothing|tickets draft-template KB|tickets feed KB|review KB
approve KB s-ios --author ann|hide KB s-rain --author ann|reject KB s-android --author ann|undo KB s-rain --author ann
history KB s-rain|edit KB s-hopper ANSWER --author ann|write KB charge ANSWER --author ann|gaps KB|in-use KB|stale KB
stale KB --settled|trends KB|digest KB --since 2025-01-01|feedback list KB|gate calibrate KB --in-domain ANSWER
gate reset KB|keys list KB|keys create KB --role reader --name r|checks add KB CHECKS|checks run KB|checks list KB
doctor KB|sync KB|plugins KB|evaluate retrieval KB|evaluate retrieval KB --variations|evaluate quality KB
evaluate suggestions KB --cases CHECKS|evaluate tickets KB --queries CHECKS --qrels CHECKS|evaluate retrievers KB
evaluate chunking PLACE/pages|evaluate paper autokb KB|evaluate paper tickets KB|evaluate study notes.count KB
draft-cases KB PLACE/cases.jsonl --from documents|trial KB|draft-spec KB|outcomes add KB --conversation c1 --resolved
export KB PLACE/o.jsonl|export KB PLACE/o.md|export KB PLACE/o.csv|export KB PLACE/o.graphml|export KB PLACE/o.cypher
export KB PLACE/o.nothing|rank fit KB|diff KB 1 1|rollback KB 1 --author ann|publish KB --author ann
discard KB --author ann|vacuum KB|show KB nothing|build KB|versions KB|diff KB 1 2|changes KB
"""
DECIDED = (r"\b(?:edit|verdict)-[0-9a-f]{16}", "CHANCE")
CHANCE = (
    (r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:\d\d)?|expires=[^;]+", "TIME"),
    (r"\d+(?:\.\d+)?(?= ?m?s\b| seconds)|(?<=_ms\": )[\d.e-]+|\b\d+\.\d+(?= *\n)", "SECONDS"),
    (
        r"(?<=seconds)(\": ?[^\[{]*?(?=[,}])|\": {[^{}]*}| +[\d.]+)|(?<=autokb  )[^\n]*|(?<=load)(\": \"| )[\d.]+",
        "SECONDS",
    ),
    (
        r"\bakb_[\w-]+|\b[0-9a-f]{32,}\b|nonce[-=\"][\w+/=-]+|\b(?:r|key)-[0-9a-f]{8,12}\b|\b(?:edit|verdict)-[0-9a-f]{16}",
        "CHANCE",
    ),
    (r"(?<=conversation&#34;: &#34;)\w+|(?<=} )[\d.]+e[+-]\d+|(?<=} )\d+\.\d+", "CHANCE"),
    (r"\d+(?:\.\d+)? [kMG]i?B\b|(?<=bytes\": )(\d+|{[^}]*})|(?<=content-length: )\d+", "SIZE"),
)


def main(folder: Path) -> None:
    """Write all of it."""
    _write(folder / "help", _helps())
    with tempfile.TemporaryDirectory() as place:
        kb = _workspace(Path(place))
        _write(folder / "paths", _answers(Path(shutil.copytree(kb, kb.parent / "served"))))
        _write(folder / "commands", _outputs(kb))
        _write(folder / "exports", ((one.suffix[1:], _sorted(one)) for one in kb.parent.glob("o.*")))


def _workspace(place: Path) -> Path:
    kb = place / "kb"
    (place / "lawn.yaml").write_text(hand_made_kb.DOMAIN)
    tickets = small_tickets.write(place / "tickets.json")
    (place / "answer.md").write_text("Turn them over\n\nLoosen the three screws and turn the blades over.\n")
    (place / "checks.jsonl").write_text(json.dumps({"id": "pair", "text": QUESTION, "solution": "s-ios"}) + "\n")
    (place / "pages").mkdir()
    for name, (_, text) in hand_made_kb.DOCUMENTS.items():
        (place / "pages" / name.replace("/", "-")).write_text(text)
    for words in (
        ["init", kb, "--domain", place / "lawn.yaml"],
        ["import", kb, hand_made_kb.write(place / "lawn.jsonl")],
        ["add", kb, tickets, "--as", "tickets"],
        ["tickets", "build", kb],
    ):
        print(_run(*map(str, words)), file=sys.stderr)
    return kb


def _run(*words: str) -> str:
    from autokb.cli import main as command

    out, err = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        try:
            status: object = command(list(words))
        except SystemExit as end:
            status = end.code
    return f"{out.getvalue()}\n-- standard error\n{err.getvalue()}\n-- exit status {status}\n"


def _helps() -> Iterator[tuple[str, str]]:
    from autokb.cli import load_commands
    from autokb.cli.commands import app

    load_commands()
    for path in ((), *_leaves(app)):
        yield "_".join(path) or "autokb", _run(*path, "--help")


def _leaves(group: typer.Typer, path: tuple[str, ...] = ()) -> Iterator[tuple[str, ...]]:
    for command in group.registered_commands:
        yield (*path, str(command.name or getattr(command.callback, "__name__", "")))
    for inner in group.registered_groups:
        if inner.typer_instance is not None:
            yield (*path, str(inner.name))
            yield from _leaves(inner.typer_instance, (*path, str(inner.name)))


def _outputs(kb: Path) -> Iterator[tuple[str, str]]:
    import shlex

    for number, line in enumerate(COMMANDS.replace("\n", "|").strip("|").split("|")):
        put = {"KB": kb, "ANSWER": kb.parent / "answer.md", "CHECKS": kb.parent / "checks.jsonl"}
        words = [str(put.get(word, word)) for word in shlex.split(line)]
        words = [word.replace("QUESTION", QUESTION).replace("PLACE", str(kb.parent)) for word in words]
        name = f"{number:02d}_" + re.sub(r"\W+", "_", line)[:40]
        yield name, _run(*words) + _run(*words, "--json")


def _answers(kb: Path) -> Iterator[tuple[str, str]]:
    from fastapi.testclient import TestClient

    from autokb.web.app import create_app

    app = create_app(kb)
    key = json.loads(_run("keys", "create", str(kb), "--role", "admin", "--json").partition("\n")[0])["key"]
    with TestClient(app, headers={"Authorization": f"Bearer {key}"}) as client:
        schema = client.get("/v1/openapi.json").json() if client.get("/v1/openapi.json").is_success else app.openapi()
        yield "openapi", json.dumps(schema, indent=1, sort_keys=True)
        for method, path in sorted(_paths(app)):
            shown = re.sub(r"{(\w+)(?::\w+)?}", partial(_id, path), path)
            body: dict[str, Any] = {} if method == "get" else {"json": {}}
            answer = client.request(method.upper(), shown, follow_redirects=False, **body)
            kept = "\n".join(f"{name}: {value}" for name, value in sorted(answer.headers.items()))
            yield f"{method}{re.sub(r'[^a-zA-Z]+', '_', path)}", f"{answer.status_code}\n{kept}\n\n{answer.text}\n"
        for path in ("/v1/ask", "/v1/suggest"):
            yield f"asked{path.replace('/', '_')}", client.post(path, json=_body(path)).text


def _sorted(export: Path) -> str:
    """Return the lines of an export in an order that does not follow from ids, which are drawn by chance."""
    return "\n".join(sorted(re.sub(*DECIDED, line) for line in export.read_text().splitlines()))


def _paths(app: Any) -> Iterator[tuple[str, str]]:
    from fastapi.routing import iter_route_contexts

    for route in iter_route_contexts(app.routes):
        path = str(route.path)
        for method in {"GET", "POST"} & set(route.methods or ()):
            if path.count("{") < 2 and "follow" not in path:
                yield method.lower(), path


def _id(path: str, found: re.Match[str]) -> str:
    if "ticket" in path:
        return "APP-1"
    return "s-ios" if "solution" in path or "solution" in found[1] else "rain.md" if "document" in path else "pair"


def _body(path: str) -> dict[str, Any]:
    message = {"role": "customer", "text": QUESTION}
    return {"question": QUESTION} if path == "/v1/ask" else {"messages": [message]}


def _write(folder: Path, files: Iterator[tuple[str, str]]) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    for name, text in files:
        text = re.sub(r"/tmp/tmp\w+", "PLACE", text)
        for pattern, word in CHANCE:
            text = re.sub(pattern, word, text)
        (folder / f"{name}.txt").write_text(text)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
