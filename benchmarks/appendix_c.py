"""The workload of the paper's appendix C, made up: 265 issues over 49 problems, 100 documents of 10 chunks.

Nothing here is a customer's or a manual's text: problems, wordings and pages are put together from the lists below.
"""

from __future__ import annotations

import itertools
import json
from collections.abc import Iterator
from pathlib import Path

ISSUES, PROBLEMS, DOCUMENTS, CHUNKS, CHUNK_SIZE = 265, 49, 100, 10, 2048
PARTS = ("left earcup", "inline remote", "microphone", "volume wheel", "ear cushion", "pairing button", "headband")
FAULTS = (
    "makes a crackling noise",
    "does not charge at all",
    "feels very hot",
    "came loose",
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
    "with an older cable",
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
    """Return a page of as many characters as ten chunks have: sections of numbered steps about one problem."""
    part, fault = problems()[number % PROBLEMS]
    lines = [f"# When the {part} {fault}: page {number // PROBLEMS + 1}", "", f"All that helps when it {fault}.", ""]
    for turn, case in enumerate(itertools.cycle(CASES)):
        lines += _section(part, fault, case, turn + 29 * number)
        if sum(map(len, lines)) + len(lines) > CHUNKS * CHUNK_SIZE - 1_000:
            return "\n".join(lines)
    raise AssertionError("never reached")


def _section(part: str, fault: str, case: str, turn: int) -> list[str]:
    """Return a section on one case; ``turn`` chooses its steps, so that no two sections of a page have the same."""
    doing = [DOINGS[(turn * 5 + n * 3) % len(DOINGS)] for n in range(4)]
    places = [PLACES[(turn * 7 + n * 4) % len(PLACES)] for n in range(4)]
    steps = [
        f"{n}. {do.format(part=part)} {place}." for n, (do, place) in enumerate(zip(doing, places, strict=True), 1)
    ]
    said = f"When the {part} {fault} {case}, do this in the order in which it stands here:"
    return [
        f"## {case[0].upper()}{case[1:]}",
        "",
        said,
        "",
        *steps,
        "",
        f"Then see whether the {part} still {fault}.",
        "",
    ]


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
