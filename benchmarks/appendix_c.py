"""The workload of the paper's appendix C, made up: 265 issues over 49 problems, 100 documents of 10 chunks.

Nothing here is a customer's or a manual's text: problems, wordings and pages are put together from the lists below.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

ISSUES, PROBLEMS, DOCUMENTS, CHUNKS, CHUNK_SIZE = 265, 49, 100, 10, 2048
PARTS = ("left earcup", "charging case", "microphone", "volume wheel", "ear cushion", "pairing button", "headband")
FAULTS = (
    "makes a crackling noise",
    "does not charge at all",
    "feels very hot",
    "came loose",
    "has a blinking red light",
    "stopped reacting to touch",
    "smells of burnt plastic",
)
WORDINGS = (
    "The {part} of my headphones {fault}",
    "My headphones' {part} {fault}, what can I do?",
    "{part} {fault} since yesterday",
    "Hello, the {part} {fault}. Please help.",
    "Why is it that the {part} {fault}?",
    "The {part} {fault} and I do not know why",
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
    lines = [f"# When the {part} {fault}, part {number // PROBLEMS + 1}", ""]
    section = 0
    while sum(map(len, lines)) + len(lines) < CHUNKS * CHUNK_SIZE - 600:
        section += 1
        lines += [f"## Check {section} for the {part}", ""]
        lines += [
            f"{step}. Hold the {part}, look at place {section}-{step} of page {number} and press it for {step} seconds."
            for step in range(1, 8)
        ]
        lines += ["", f"If the {part} still {fault.split()[0]} as before, go on with the next check.", ""]
    return "\n".join(lines)


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
