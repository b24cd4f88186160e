"""The workload of the paper's appendix C, made up: 265 issues over 49 problems, 100 documents of 10 chunks.

Nothing here is a customer's or a manual's text: problems, wordings and pages are put together from the lists below.
"""

from __future__ import annotations

import itertools
import json
from collections.abc import Iterator
from pathlib import Path

ISSUES, PROBLEMS, DOCUMENTS, CHUNKS, CHUNK_SIZE = 265, 49, 100, 10, 2048
PARTS = ("left speaker", "USB port", "microphone", "volume wheel", "remote control", "mute button", "headband")
FAULTS = (
    "makes a crackling noise",
    "does not charge at all",
    "feels very hot",
    "is loose and falls off",
    "has a blinking red light",
    "stopped reacting to touch",
    "smells of burnt plastic",
)
VALUES = (
    "Earphone",
    "Earbud",
    "Headphone",
    "Wired",
    "Wireless",
    "Laptop",
    "Phone",
    "Tablet",
    "Android",
    "iOS",
    "Windows",
    "Mac",
)
WORDINGS = (
    "The {part} of my headphones {fault}",
    "My headphones' {part} {fault}, what can I do?",
    "{part} {fault} since yesterday",
    "Hello, the {part} {fault}. Please help.",
    "Why is it that the {part} {fault}?",
    "The {part} {fault} and I do not know why",
)
CASES = (
    "after a fall",
    "on an Android phone",
    "after rain or sweat",
    "with an older adapter",
    "on a Windows computer",
    "in the cold",
    "with a tablet",
    "after an update of the app",
    "on a Mac",
    "when the battery is low",
    "with a wired connection",
    "on a train or a plane",
    "with iOS",
    "right after you bought it",
    "with a wireless connection",
    "after a long call",
    "with a laptop",
    "when two people share it",
    "with an earbud",
    "after cleaning",
    "while you run",
    "with an earphone",
    "when nothing else helped",
    "with a large headphone",
    "after months in a drawer",
    "with another phone",
)
DOINGS = (
    "Hold the {part} towards the light and look for dust",
    "Wipe the {part} with a dry cloth",
    "Turn everything off and wait one minute",
    "Press the {part} gently from both sides",
    "Take the {part} off and put it back until it clicks",
    "Let the {part} dry",
    "Choose another device and try the same again",
    "Open the settings and set the sound back to normal",
    "Listen to a song that you know well",
    "Move the {part} slowly to and fro",
    "Keep the {part} away from magnets and other devices",
)
REMARKS = (
    "Most owners meet this once in a while, and it mends itself in a few minutes.",
    "It looks worse than it is; nothing of what is stored gets lost.",
    "Take your time, and do not leave out a step because it looks too plain.",
)
WAYS = ("The first thing to try", "If that was not enough", "A longer way", "What helps in rare cases")
SHORTEST = 18_800  # characters of a page: more than nine chunks
SECTIONS = 10  # of a page; a problem with a further page has further cases there
PLACES = (
    "along the seam",
    "where the cable begins",
    "on the inner side",
    "near the small opening",
    "under the cover",
    "beside the label",
    "at room temperature",
    "for some minutes",
    "before you go on",
    "without any force",
    "as often as needed",
    "while nothing is plugged in",
    "until it feels the same everywhere",
)
DOMAIN = """\
name: headphones
description: Wired and wireless headphones, earphones and earbuds and the devices that they play from.
attributes:
  type: {kind: closed, values: [Earphone, Earbud, Headphone]}
  connectivity: {kind: closed, values: [Wired, Wireless]}
  secondary_device: {kind: closed, values: [Laptop, Phone, Tablet]}
  os: {kind: closed, values: [Android, iOS, Windows, Mac]}
rules:
  - {id: no-abrasives, text: Name no abrasive cleaner and no solvent.}
  - {id: no-manual, text: Do not send the customer to the user manual.}
  - {id: no-service, text: Do not send the customer to a service centre for repair or replacement.}
  - {id: no-support, text: Do not tell the customer to contact product or customer support.}
"""


def problems() -> list[tuple[str, str]]:
    """Return the 49 problems: a part and what is wrong with it."""
    return [(part, fault) for part in PARTS for fault in FAULTS]


def issues() -> Iterator[dict[str, str]]:
    """Yield the raw issues; every problem is told five or six times in other words."""
    for number in range(ISSUES):
        part, fault = problems()[number % PROBLEMS]
        text = WORDINGS[number // PROBLEMS].format(part=part, fault=fault)
        yield {"id": f"i{number:03d}", "text": text[0].upper() + text[1:]}


def document(number: int) -> str:
    """Return a page of as many characters as ten chunks have: sections of steps about one problem in several cases."""
    part, fault = problems()[number % PROBLEMS]
    page = number // PROBLEMS
    lines = [f"# When the {part} {fault}: page {page + 1}", "", f"All that helps when it {fault}.", ""]
    for turn in range(SECTIONS):
        lines += _section(part, fault, CASES[(page * SECTIONS + turn) % len(CASES)], turn + 29 * number)
    lines += ["## Good to know", ""]
    for remark in itertools.cycle(REMARKS):
        if len(text := "\n".join(lines)) > SHORTEST:
            return text
        lines += [f"Whether the {part} is new or old makes no difference here. {remark}", ""]
    raise AssertionError("never reached")


def _section(part: str, fault: str, case: str, turn: int) -> list[str]:
    """Return a section on one case of some 1,850 characters; ``turn`` chooses its steps."""
    said = f"When the {part} {fault} {case}, do this in the order in which it stands here."
    lines = [f"## {case[0].upper()}{case[1:]}", "", f"{said} {REMARKS[turn % len(REMARKS)]}", ""]
    for way in range(4):
        doing = [DOINGS[(turn * 5 + way * 7 + n * 3) % len(DOINGS)] for n in range(5)]
        places = [PLACES[(turn * 7 + way * 3 + n * 4) % len(PLACES)] for n in range(5)]
        steps = (f"{do.format(part=part)} {place}." for do, place in zip(doing, places, strict=True))
        lines += [f"{WAYS[way]} when the {part} {fault}:", "", *(f"{n}. {step}" for n, step in enumerate(steps, 1)), ""]
    return lines


def write(folder: Path) -> Path:
    """Write domain, issues and documents below a folder, and return it."""
    manuals = folder / "manuals"
    manuals.mkdir(parents=True)
    for number in range(DOCUMENTS):
        (manuals / f"page-{number:03d}.md").write_text(document(number), encoding="utf-8")
    lines = "".join(json.dumps(issue) + "\n" for issue in issues())
    (folder / "issues.jsonl").write_text(lines, encoding="utf-8")
    (folder / "domain.yaml").write_text(DOMAIN, encoding="utf-8")
    return folder
