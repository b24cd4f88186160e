"""The commands on the pages are run in workspaces like theirs, or stand in ``NOT_RUN`` with the reason.

A command is a line of a block of code that begins with a program, or such words between backquotes if they say more
than the command's name. Those of a page are run in its order. What pages leave open (``WORKSPACE``, a port, a model)
stands in ``MEANS``, what a person does between two commands in ``BEFORE``. One that is neither run nor listed fails.
The ``console`` fences of the tutorials are run by test_tutorial.py, Python by test_python_of_docs.py.
"""

from __future__ import annotations

import contextlib
import csv
import importlib.util
import io
import re
import shlex
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from benchmarks.desk_server import ENVIRONMENT, DeskServer

import served_process
import small_tickets
from autokb.app import SupportKB
from autokb.cli import load_commands, main
from autokb.cli.commands import app
from feed_server import LOOPBACK, Answer, FeedServer
from scripted_model import ScriptedModel
from served_workspace import served
from stub_server import StubServer

ROOT = Path(__file__).resolve().parents[1]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
RUN_BY_THE_TUTORIALS = re.compile(r"start\.md|tutorial.*\.md")  # test_tutorial.py runs their ``console`` fences
SHIPPED = ROOT / "src" / "autokb" / "domains" / "headphones"

PROGRAMS = (
    "autokb|python3?|pytest|pip|pipx|uvx|make|curl|export|docker|npm|apt-get|systemctl|journalctl|chmod|pg_dump|ray|ln"
)
BEFORE_IT = r"(?:\$ |ExecStart=|runuser -u autokb -- |nice |[A-Z_]+=\S+ )*(?:\S*/bin/)?"
LINE = re.compile(rf"{BEFORE_IT}(?:{PROGRAMS}) .*")
PART = re.compile(
    r"^ *(?P<ticks>```+)(?P<kind>\w*)[^\n]*\n(?P<fence>(?s:.*?))^ *(?P=ticks)$"
    r"|^(?P<indented>(?: {4}.*\n)+)|(?<!`)`(?P<inline>[^`]+)`(?!`)",
    re.MULTILINE,
)

# What stands on the pages, and what it is here.
MEANS = (
    (rf"^{BEFORE_IT}", ""),
    (r"/var/lib/autokb/", ""),
    (r"src/autokb/domains/headphones/documents/", "pages/"),
    (r" \[--[^]]*\]|\.\.\.(?=$| )", ""),  # what may be left out
    (r"reader\|agent\|editor\|admin", "reader"),
    (r"packaged,local:FOLDER,openai:NAME", "packaged"),  # there is one encoder
    (r"--(model|judge) (openai:)?NAME", r"--\1 openai:gpt-5-mini"),
    (r"\bWORKSPACE\b", "small"),
    (r"evaluate paper NAME", "evaluate paper autokb"),
    (r"(remove kb|--source) NAME", r"\1 manuals"),
    (r"\b(serve|revoke) FOLDER\b", r"\1 workspaces"),
    (r" --port \d+", ""),  # a free one
    # The same, shorter.
    (r" --sample 50\b", " --sample 2"),
    (r"trial kb --model \S+", r"\g<0> --themes 1 --questions 3"),
)
DIRECTLY = re.compile(r"autokb .*|curl .*|body=.*|t=.*", re.DOTALL)  # what is run here; no other program is
ROOT_ONLY = "changes the machine, as root"
INSTALLS = "installs from a package index"
CHECKOUT = "works on the checkout, where CI runs it"
BACKUP = "test_deployment_page.py runs it"
RECIPE = "test_python_of_docs.py runs it"
POSTGRES = "needs Postgres; test_move_commands.py moves there and back where there is one"
RAY = "starts a cluster of Ray"
KEY = "is somebody's key; here a scripted model needs none"
BENCHMARK = "measures for minutes; that it is there is tested below"
NOT_RUN = {
    r"(useradd|chmod|ln -sfn|systemctl|systemd-analyze|install -o|journalctl|apt-get) .*": ROOT_ONLY,
    r"systemd-run (?s:.*)": ROOT_ONLY,
    r"rm -f knowledge.db-wal knowledge.db-shm": ROOT_ONLY,  # between two of those
    r"(pip install|pipx run|uvx|python3 -m venv) .*": INSTALLS,
    r"make (demo|test|dist|docs|check|architecture|bench-papers)\b.*": CHECKOUT,
    r"python (docs/draw_roles.py|-m http.server -d site|tests/test_tutorial.py .*)": CHECKOUT,
    r"umask 077|cd kb|python -c 'import sqlite3.*|mv /var/backups/.*|cp domain.yaml .*|if \[ -d sheets \].*": BACKUP,
    r"pytest tests/tasks/contracts": RECIPE,
    r"autokb move .*|pg_dump .*": POSTGRES,
    r"autokb rank fit\b.*": "needs a plug-in; test_example_plugin.py runs it",
    r"autokb stale kb --join .*": "needs two issues of one customer; test_front_door.py runs it",
    r"python -m pytest .*": CHECKOUT,
    r"ray start .*": RAY,
    r"export OPENAI_API_KEY=.*": KEY,
    r"python -m benchmarks.*": BENCHMARK,
}


def commands_of(page: Path) -> Iterator[str]:
    """Yield the commands of a page as they stand there, those in several lines joined; a ``bash`` fence is one."""
    for part in PART.finditer(page.read_text(encoding="utf-8")):
        kind = part["kind"]
        if part["inline"]:
            line = " ".join(part["inline"].split())
            if LINE.fullmatch(line) and not _is_a_name(line):
                yield line
        elif kind == "bash":
            yield part["fence"]
        elif kind in ("sh", "ini", "", None) or (kind == "console" and not RUN_BY_THE_TUTORIALS.fullmatch(page.name)):
            block = re.sub(r"^ {4}", "", part["indented"] or part["fence"], flags=re.MULTILINE)
            for line in block.replace("\\\n", " ").splitlines():
                if LINE.match(line) or (kind == "sh" and line.strip() and not line.startswith("#")):
                    yield " ".join(line.split())


def _groups() -> set[str]:
    load_commands()
    return {str(group.name) for group in app.registered_groups}


GROUPS = _groups()


def _is_a_name(line: str) -> bool:
    """Say whether a command between backquotes is only named, as `autokb keys list`; test_docs.py looks for those."""
    words = line.split()
    return words[0] == "autokb" and len(words) <= (3 if words[1] in GROUPS else 2)


def meant(command: str) -> str:
    """Return what a command of a page is here."""
    for pattern, here in MEANS:
        command = re.sub(pattern, here, command)
    return command


def why_not(command: str) -> str:
    """Return why a command is not run, empty for one that is."""
    return next((why for pattern, why in NOT_RUN.items() if re.fullmatch(pattern, command)), "")


COMMANDS = {page.relative_to(ROOT).as_posix(): list(commands_of(page)) for page in PAGES}


def _edit_the_domain(_line: str) -> None:
    shutil.copy(SHIPPED / "domain.yaml", "kb/domain.yaml")


def _make_room(line: str) -> None:
    shutil.rmtree(line.split()[2])


def _forget_the_cases(_line: str) -> None:
    Path("cases.jsonl").unlink()


def _change_a_manual(_line: str) -> None:
    Path("manuals/later.md").write_text("# Later\n\nThis was written later.\n", encoding="utf-8")
    assert main(["add", "kb", "manuals"]) == 0


def _build_a_candidate(line: str) -> None:
    _change_a_manual(line)
    assert main(["checks", "add", "kb", "checks.jsonl"]) == 0
    assert main(["build", "kb", "--candidate"]) == 0


def _mark(*sheets: Path, **marks: str) -> None:
    """Write marks into every row of sheets."""
    assert sheets
    for sheet in sheets:
        with sheet.open(encoding="utf-8-sig", newline="") as file:
            reader = csv.DictReader(file)
            rows = [{**row, **marks} for row in reader]
        assert set(marks) <= set(reader.fieldnames or ())
        with sheet.open("w", encoding="utf-8", newline="") as file:
            writer = csv.DictWriter(file, reader.fieldnames or ())
            writer.writeheader()
            writer.writerows(rows)


def _mark_the_trial(_line: str) -> None:
    _mark(Path("kb/trial/sheet.csv"), a_helps="yes", b_helps="partly", better="A")


def _mark_the_suggestions(_line: str) -> None:
    _mark(*Path("kb/sheets").glob("*.csv"), preference="A")


def _mark_the_paper(_line: str) -> None:
    for name, answer in (("correctness", "yes"), ("rules", "kept"), ("attributes", "Any")):
        _mark(*Path("sheets").glob(f"*/{name}*.csv"), answer=answer)


def _name_the_sources(_line: str) -> None:
    settings = Path("kb/settings.yaml").read_text(encoding="utf-8")
    if "\nsources:" not in settings:
        Path("kb/settings.yaml").write_text(settings + Path("sources.yaml").read_text(encoding="utf-8"), "utf-8")


def _begin_smaller(_line: str) -> None:
    """Take less in the place of the shipped examples, which a model would read for long."""
    shutil.rmtree("kb")
    issues = "--as issues --text-field message --id-field number --date-field day --resolved-by-field article"
    for words in ("init kb --domain headphones", "add kb pages", f"add kb issues.csv {issues}", "build kb"):
        assert main(words.split()) == 0


BEFORE: dict[str, Callable[[str], None]] = {
    r"init .*": _make_room,
    r"add kb manuals/": _edit_the_domain,
    r"build kb --candidate|remove .*": _change_a_manual,
    r"checks run kb --candidate|publish .*|diff kb 1 candidate": _build_a_candidate,
    r"draft-cases kb cases.jsonl.*": _forget_the_cases,
    r"trial kb --model .*": _begin_smaller,
    r"trial kb --sheet .*": _mark_the_trial,
    r"evaluate suggestions .* --read .*": _mark_the_suggestions,
    r"evaluate paper .* --read .*": _mark_the_paper,
    r"sync .*": _name_the_sources,
}


class Place:
    """A folder in which the commands of a page are run, with a service once one of them asks it."""

    def __init__(self, stack: contextlib.ExitStack) -> None:
        self._stack = stack
        self._url = ""

    def run(self, line: str) -> tuple[int, str]:
        """Run a command; returns its exit status and what it printed."""
        if not line.startswith("autokb "):
            return self._ask_the_service(line)
        words = shlex.split(line, comments=True)[1:]
        for pattern, prepare in BEFORE.items():
            if re.fullmatch(pattern, " ".join(words)):
                prepare(line)
        if "ID" in words:
            words[words.index("ID")] = SupportKB.open("workspaces/shop").keys.list().keys[-1].id
        if words[0] in ("serve", "mcp"):
            with served_process.served(Path(words[1]), *words[2:], command=words[0]) as (_, said):
                return int("url" not in said), str(said)
        if "--watch" in words:
            return _watched(words)
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed), contextlib.redirect_stderr(printed):
            status = main(words)
        return status, printed.getvalue()

    def _ask_the_service(self, script: str) -> tuple[int, str]:
        """Run curl and what is around it; a refusal is a failure."""
        self._url = self._url or self._stack.enter_context(served(Path("kb")))
        script = re.sub(r"(?:http://)?(?:localhost|127\.0\.0\.1):8000", self._url, script)
        script = re.sub(r"^curl -s ", "curl -s --fail-with-body ", script, flags=re.MULTILINE)
        done = subprocess.run(["bash", "-e", "-c", script], capture_output=True, text=True)
        return done.returncode, done.stdout + done.stderr


def _watched(words: list[str]) -> tuple[int, str]:
    """Run a command that goes on until it is ended, and end it when it has said something."""
    command = [sys.executable, "-m", "autokb", *words]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as process:
        assert process.stderr is not None
        said = process.stderr.readline()
        process.send_signal(signal.SIGTERM)
        return process.wait(served_process.SECONDS), said


@pytest.fixture(scope="module")
def laid(_built_headphones: Path, _imported: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What the pages find: a workspace with two versions and tickets, smaller ones, and the files that they name."""
    here = tmp_path_factory.mktemp("laid") / "here"
    shutil.copytree(_built_headphones, here / "kb")
    for name in ("demo-workspace", "headphones", "medical", "small", "workspaces/shop", "workspaces/printers"):
        shutil.copytree(_imported, here / name)
    (here / "manuals").mkdir()
    (here / "pages").mkdir()
    for name in ("pairing.html", "no-sound.html"):
        shutil.copy(SHIPPED / "documents" / name, here / "pages")
    shutil.copy(SHIPPED / "documents" / "pairing.html", here / "page.html")
    small_tickets.write(here / "jira-export.json")
    for name, text in FILES.items():
        (here / name).write_text(text, encoding="utf-8")
    with contextlib.chdir(here), contextlib.redirect_stdout(io.StringIO()):
        for kb in ("kb", "small"):
            for words in (f"add {kb} jira-export.json --as tickets", f"tickets build {kb}", f"add {kb} manuals"):
                assert main(words.split()) == 0
        assert main(["add", "kb", "chats.jsonl", "--as", "chats"]) == 0
        assert main(["build", "kb"]) == 0
        for name in ("before.json", "after.json"):
            with Path(name).open("w") as file, contextlib.redirect_stdout(file):
                assert main("evaluate suggestions kb --cases cases.jsonl --json".split()) == 0
    return here


FILES = {
    "manuals/descale.md": "# Descale\n\n1. Boil it with citric acid.\n2. Pour the water away.\n",
    "issues.csv": "number,day,message,article\n"
    + "".join(
        f"{n},2026-03-{n:02},{what} since day {n},{article}\n"
        for n, (what, article) in enumerate(
            [("No sound on my laptop", "no-sound.html"), ("It does not pair with my phone", "pairing.html")] * 6, 1
        )
    ),
    "corrected.csv": "number,message\n1,No sound on my old laptop\n",
    "cases.jsonl": '{"id": "1", "messages": [{"role": "customer", "text": "No sound"}], "reply": "Clean it.", '
    '"documents": ["no-sound.html"]}\n',
    "chats.jsonl": '{"id": "c1", "messages": [{"role": "customer", "text": "No sound"}, {"role": "agent", "text": '
    '"Look at the speaker sign."}]}\n',
    "chats.csv": "chat,author,message\nc2,Cas,No sound\nc2,Ann Lee,Look at the speaker sign.\nc2,Bob,Or clean it.\n",
    "checks.jsonl": '{"id": "sound", "text": "There is no sound on my Mac", "document": "no-sound.html"}\n',
}


@pytest.fixture
def place(laid: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Place]:
    """A place of one's own, with a model, a website and the helpdesks on loopback."""
    shutil.copytree(laid, tmp_path / "here")
    monkeypatch.chdir(tmp_path / "here")
    monkeypatch.setenv("OPENAI_API_KEY", "sk-test")
    for name, value in ENVIRONMENT.items():
        monkeypatch.setenv(name, value.replace(" ", "-"))  # a secret can stand in an address
    page = Answer("<h1>Lime</h1><p>Boil it with citric acid.</p>", headers={"Content-Type": "text/html"})
    with contextlib.ExitStack() as stack:
        # Several solutions an issue, as without a model; a build that has less than half of them is not published.
        model = ScriptedModel(solutions=lambda _issue: 3)
        monkeypatch.setenv("AUTOKB_BASE_URL", stack.enter_context(StubServer(model)).url)
        site = stack.enter_context(FeedServer(lambda _asked: page))
        Path("sources.yaml").write_text(
            "\nsources:\n  manuals: {type: folder, path: ../manuals}\n"
            f"  site: {{type: web, every: 1s, urls: ['{site.url}/lime.html'], allow_networks: [{LOOPBACK}]}}\n"
        )
        with Path("kb/settings.yaml").open("a", encoding="utf-8") as settings:
            settings.write(stack.enter_context(DeskServer()).settings())
        yield Place(stack)


@pytest.mark.slow
@pytest.mark.parametrize("page", [page for page, commands in COMMANDS.items() if commands])
def test_the_commands_of_a_page_run(page: str, place: Place) -> None:
    failed = []
    for command in COMMANDS[page]:
        line = meant(command)
        if not why_not(line):
            assert DIRECTLY.fullmatch(line), f"{command} is neither run nor listed in NOT_RUN"
            status, printed = place.run(line)
            if status:
                failed.append(f"{command}: {status}\n{printed}")
    assert not failed, "\n".join(failed)


def test_what_is_not_run_is_on_a_page() -> None:
    everything = {meant(command) for commands in COMMANDS.values() for command in commands}
    gone = [one for one in NOT_RUN if not any(re.fullmatch(one, command) for command in everything)]
    assert not gone


def test_the_benchmarks_that_pages_name_are_there() -> None:
    named = re.compile(r"python -m benchmarks(\.\w+|(?: \w+)+)")
    found = [named.match(meant(command)) for commands in COMMANDS.values() for command in commands]
    names = {name for one in found if one for name in one[1].replace(".", " ").split()}
    assert len(names) > 20
    assert [name for name in names if importlib.util.find_spec(f"benchmarks.{name}") is None] == []
