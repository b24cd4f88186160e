"""What is hostile, through the real command line: all of it is read or refused, in bounded time and memory.

``python -m benchmarks.hostile [GROUP...]`` runs the groups that are named, else all.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import threading
import time
import tty
import unicodedata
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import psutil

from benchmarks.figures import RESULTS, Figure, Result, show, write
from benchmarks.hostile_cases import damage, documents, feeds, imports, servers, yaml_files
from benchmarks.hostile_cases.case import Answered, Case, Command
from benchmarks.hostile_cases.workspaces import make_workspaces
from benchmarks.running import MEGABYTE, folder

CASES: list[Case] = [*documents.CASES, *imports.CASES, *yaml_files.CASES, *servers.CASES, *damage.CASES, *feeds.CASES]
GROUPS = ("documents", "imports", "yaml", "servers", "damage", "feeds")
OUTCOMES = ("read", "refused", "BROKEN")
LONGEST_SECONDS = 60.0  # of one command, then it is killed
SLOW_SECONDS = 20.0  # what issue 11 promises of one command
MOST_MEGABYTES = 1_500.0
LOOK_EVERY = 0.05  # seconds between two looks at the memory
LONGEST_SENTENCE = 1_500  # characters of what is said about one thing
MOST_LINES = 3  # of a command that refuses: a sentence, and perhaps warnings before it
# Root may read and write everything. What is imported later than this may lie where nobody else can read it.
AS_NOBODY = """
import encodings.idna, encodings.utf_8_sig, os, pkgutil, sys
import autokb, numpy, onnxruntime, tokenizers, scipy.sparse, sklearn.cluster, rich.console
for module in pkgutil.walk_packages(autokb.__path__, "autokb."):
    if not module.name.endswith("__main__"):
        __import__(module.name)
os.seteuid(65534)  # the user without rights of Linux and macOS
from autokb.cli import entry
entry()
"""
FAULTS = ("Traceback", "fault in autokb", "Exception ignored", "never retrieved", "never awaited")
STYLING = re.compile(r"\x1b\[(?:[0-9;]*m|\?25[lh]|2K|1A|\d+D)")  # what rich itself sends
DIRECTIONS = frozenset("\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")


@dataclass(frozen=True, slots=True)
class Met:
    """How one case went; ``why`` says what is broken, or with what words it was refused."""

    case: Case
    outcome: str
    why: str
    seconds: float  # of its slowest command
    processor: float  # seconds of the processor of the command that used most
    megabytes: float  # of its largest
    slowest: str

    @property
    def is_out_of_bounds(self) -> bool:
        """Return whether it took more time or memory than is promised."""
        return self.seconds > SLOW_SECONDS or self.megabytes > MOST_MEGABYTES


def run(options: argparse.Namespace) -> Result:
    """Run the cases one after the other, so that no two are in memory at once."""
    groups = getattr(options, "groups", None) or GROUPS
    only = getattr(options, "only", "")
    chosen = [c for c in CASES if c.group in groups and only in c.name and not (options.quick and c.heavy)]
    started = time.perf_counter()
    met = meet(chosen, tell=True)
    return summarize(met, time.perf_counter() - started)


def meet(cases: Sequence[Case], *, tell: bool = False) -> list[Met]:
    """Run cases; ``tell`` names those that are broken or out of bounds as they come."""
    met = []
    with folder() as place:
        place.chmod(0o755)  # for the commands of a user without rights
        (place / "bases").mkdir()
        make_workspaces(place / "bases", (case.base for case in cases))
        for case in cases:
            met.append(one := _meet(case, place / "case", place / "bases" / case.base))
            if tell and (one.outcome == "BROKEN" or one.is_out_of_bounds):
                figures = f"{one.seconds:.1f} s, {one.processor:.1f} of the processor, {one.megabytes:,.0f} MB"
                print(
                    f"{one.outcome}: {case.group}, {case.name}: {one.why[:300]} [{figures}; {one.slowest}]", flush=True
                )
    return met


def _meet(case: Case, here: Path, base: Path) -> Met:
    here.mkdir()
    try:
        shutil.copytree(base, here / "kb")
        case.make(here)
        answered: list[Answered] = []
        complaint = ""
        with case.meanwhile(here) as meanwhile:
            commands = list(case.commands)
            while commands:
                command = commands.pop(0)
                if command.words == "heal":
                    meanwhile.heal()  # type: ignore[attr-defined]  # only servers are healed
                    continue
                answered.append(one := execute(command, here))
                complaint = complaint or find_fault(one, case.exits, on_terminal=command.on_terminal)
                if len(answered) == 1:
                    commands += case.then(here, one)
            complaint = complaint or case.check(here, answered)
        slowest = max(answered, key=lambda one: one.seconds)
        refusal = next(filter(None, map(_refusal, answered)), "")
        outcome = "BROKEN" if complaint else "refused" if refusal else "read"
        most, processor = max(one.megabytes for one in answered), max(one.processor for one in answered)
        return Met(case, outcome, complaint or refusal, slowest.seconds, processor, most, slowest.words)
    finally:
        _remove(here)


def _remove(here: Path) -> None:
    """Remove a folder with whatever a case made in it: without permissions, or too deep for its path."""
    for path in (here, *here.glob("*"), *here.glob("*/*")):
        if path.is_dir() and not path.is_symlink():
            path.chmod(0o755)
    subprocess.run(["rm", "-rf", str(here)], check=True)


# -- one command ----------------------------------------------------------------------------------------------


def execute(command: Command, here: Path) -> Answered:
    """Run one command in a process of its own and say how it ended.

    Memory is the larger of two figures: the most that the process and all below it held together whenever we looked,
    and the most that the system says one of them ever held.
    """
    program = ["-c", AS_NOBODY] if command.as_nobody and os.geteuid() == 0 else ["-m", "autokb"]
    words = [sys.executable, *program, *command.split(here)]
    if not command.on_terminal:
        words.append("--json")
    with _streams(on_terminal=command.on_terminal) as (out, err, read):
        environment = {**os.environ, "TERM": "xterm-256color", "COLUMNS": "120", "PYTHONDONTWRITEBYTECODE": "1"}
        started = time.perf_counter()
        process = subprocess.Popen(
            words, stdout=out, stderr=err, stdin=subprocess.DEVNULL, env=environment, cwd=here.parent
        )
        status, peak, processor = _watch(process)
        seconds = time.perf_counter() - started
        said, errors = read()
    answer: dict[str, Any] = {}
    try:
        parsed = json.loads(said) if said and not command.on_terminal else {}
        answer = parsed if isinstance(parsed, dict) else {}
    except (ValueError, RecursionError):
        pass  # whoever judges sees that there is no answer
    return Answered(command.words, status, answer, said, errors, seconds, processor, peak / MEGABYTE)


@contextmanager
def _streams(*, on_terminal: bool) -> Iterator[tuple[Any, Any, Any]]:
    """Give standard output, standard error and what reads both when the command has ended."""
    if not on_terminal:
        with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:

            def read() -> tuple[str, str]:
                out.seek(0)
                err.seek(0)
                return out.read().decode(errors="replace"), err.read().decode(errors="replace")

            yield out, err, read
        return
    ours, theirs = os.openpty()
    tty.setraw(theirs)
    received = bytearray()

    def receive() -> None:
        while True:
            try:
                part = os.read(ours, 65_536)
            except OSError:  # how Linux says that nobody holds the other end any more
                return
            if not part:
                return
            received.extend(part)

    reader = threading.Thread(target=receive)
    reader.start()

    def read_terminal() -> tuple[str, str]:
        os.close(theirs)
        reader.join()
        return received.decode(errors="replace"), ""

    try:
        yield theirs, theirs, read_terminal
    finally:
        os.close(ours)


def _watch(process: subprocess.Popen[bytes]) -> tuple[int | None, int, float]:
    """Wait for a process, and kill it with all below it after the longest time."""
    ends = time.monotonic() + LONGEST_SECONDS
    watched = psutil.Process(process.pid)
    peak = 0
    while time.monotonic() < ends:
        pid, ended, used = os.wait4(process.pid, os.WNOHANG)
        if pid:
            process.returncode = os.waitstatus_to_exitcode(ended)
            largest = used.ru_maxrss * (1 if sys.platform == "darwin" else 1024)
            return process.returncode, max(peak, largest), used.ru_utime + used.ru_stime
        peak = max(peak, sum(map(_resident, _family(watched))))
        time.sleep(LOOK_EVERY)
    for one in _family(watched):
        one.kill()
    process.wait()
    return None, peak, 0.0


def _family(process: psutil.Process) -> list[psutil.Process]:
    try:
        return [process, *process.children(recursive=True)]
    except psutil.Error:
        return []


def _resident(process: psutil.Process) -> int:
    try:
        return int(process.memory_info().rss)
    except psutil.Error:
        return 0  # it ended while we looked


# -- judging --------------------------------------------------------------------------------------------------


def find_fault(one: Answered, exits: frozenset[int], *, on_terminal: bool = False) -> str:  # noqa: C901 - a list
    """Return what no command may do whatever it is given, empty where all is well."""
    everything = STYLING.sub("", one.out + one.err) if on_terminal else one.out + one.err
    if one.status is None:
        return f"`{one.words}` did not end within {LONGEST_SECONDS:g} seconds"
    for fault in FAULTS:
        if fault in everything:
            return f"`{one.words}`: {everything[-400:].strip()}"
    if one.status < 0:
        return f"`{one.words}` was ended by signal {-one.status}"
    if one.status not in exits:
        return f"`{one.words}` ended with {one.status}: {everything[-400:].strip()}"
    if steering := _steering(everything):
        return f"`{one.words}` printed {', '.join(map(hex, map(ord, steering)))}"
    if not on_terminal and not one.answer:
        return f"`{one.words}` printed no JSON object: {one.out[:200]!r}"
    if one.status != 0:
        sentence = (one.out if on_terminal else one.err).strip()
        if not sentence:
            return f"`{one.words}` ended with {one.status} and no word"
        if sentence.count("\n") >= MOST_LINES or len(sentence) > LONGEST_SENTENCE:
            lines = len(sentence.splitlines())
            return f"`{one.words}` says {len(sentence)} characters in {lines} lines: {sentence[:200]}"
    for left in _left_out(one):
        reason = str(left.get("reason", "")).strip()
        if not reason:
            return f"`{one.words}` gives no reason for {left}"
        if len(reason) > LONGEST_SENTENCE:
            return f"`{one.words}` says {len(reason)} characters about one thing: {reason[:200]}"
    return ""


def _steering(text: str) -> list[str]:
    found = {c for c in set(text) if unicodedata.category(c) in ("Cc", "Cs")} - {"\n", "\t"}
    return sorted(found | (set(text) & DIRECTIONS))


def _left_out(one: Answered) -> list[dict[str, Any]]:
    return [*one.answer.get("skipped", ()), *one.answer.get("failures", ())]


def _refusal(one: Answered) -> str:
    """Return the words with which something was refused, empty where nothing was."""
    if one.status != 0:
        return (one.err or one.out).strip()
    return next((str(left["reason"]) for left in _left_out(one)), "")


def summarize(met: Sequence[Met], seconds: float) -> Result:
    """Count outcomes by group, and name what is broken or out of bounds."""
    counts = Counter((one.case.group, one.outcome) for one in met)
    figures = [Figure("cases", len(met), "cases")]
    for group in GROUPS:
        for outcome in OUTCOMES:
            at_most = 0 if outcome == "BROKEN" else None
            figures.append(Figure(f"{group}_{outcome.lower()}", counts[group, outcome], "cases", at_most=at_most))
    if met:
        slowest, largest = max(met, key=lambda one: one.seconds), max(met, key=lambda one: one.megabytes)
        print(f"slowest: {slowest.case.group}, {slowest.case.name}: {slowest.seconds:.1f} s ({slowest.slowest})")
        print(f"largest: {largest.case.group}, {largest.case.name}: {largest.megabytes:,.0f} MB")
        figures += [
            Figure("slowest_command", slowest.seconds, "s", at_most=SLOW_SECONDS),
            Figure("most_of_the_processor", max(one.processor for one in met), "s"),
            Figure("largest_memory", largest.megabytes, "MB", at_most=MOST_MEGABYTES),
        ]
    figures.append(Figure("whole_run", seconds, "s"))
    detail = {
        "cases": [
            {
                "group": one.case.group,
                "name": one.case.name,
                "outcome": one.outcome,
                "why": one.why[:LONGEST_SENTENCE],
                "seconds": round(one.seconds, 1),
                "processor": round(one.processor, 1),
                "megabytes": round(one.megabytes),
            }
            for one in met
        ]
    }
    return Result("hostile", figures, detail)


def main() -> int:
    """Run the groups that are named."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.hostile", description=__doc__)
    parser.add_argument("groups", nargs="*", metavar="GROUP", help=f"{', '.join(GROUPS)}; all without a name")
    parser.add_argument("--quick", action="store_true", help="without what is large")
    parser.add_argument("--only", default="", help="only cases with this in their name")
    parser.add_argument("--store", action="store_true", help="keep the figures in benchmarks/results/")
    options = parser.parse_args()
    if unknown := [name for name in options.groups if name not in GROUPS]:
        parser.error(f"{unknown[0]} is no group; they are {', '.join(GROUPS)}")
    if options.store and (options.quick or options.only or options.groups):
        parser.error("--store keeps whole runs")
    result = run(options)
    show(result)
    print(f"Written to {write(result, keep=options.store).relative_to(RESULTS.parents[1])}")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
