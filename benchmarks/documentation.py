"""What becomes of a public documentation tree: site markup that is shown, words that are lost, seconds.

``python -m benchmarks.documentation FOLDER [--questions 150] [--examples 5]`` adds and builds the tree offline and asks
the headings of sections drawn at random, each with the title of its page. It prints the share of first answers with
markup of the documentation site outside of code; the share of the words of each file that are in no chunk of it and in
no note of what was left out; and what reading and building take. Nothing of the tree is kept.
"""

from __future__ import annotations

import argparse
import html
import random
import re
import time
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from autokb.app import SupportKB
from autokb.core.nouns import Document, Skipped, Solution
from autokb.pipeline.chunk_files import ChunkRequest
from autokb.text.markdown import code_within, sections
from benchmarks.running import folder

SEED = 20261130
# Tags that are in use, so that a placeholder as <platform> is none, and names of components (TabItem).
TAGS = "a|abbr|br|code|details|div|em|h[1-6]|hr|i?frame|img|kbd|li|ol|p|pre|script|span|strong|style|su[bp]|summary|svg"
TAGS = f"{TAGS}|t(?:able|body|d|h|head|r)|u|ul|video|Tabs|[A-Z]\\w*[a-z][A-Z]\\w*"
# Marks of Docusaurus, MkDocs, Hugo, Jekyll, MDX, Sphinx, AsciiDoc, Antora and of wikis that no reader should see.
MARKUP = re.compile(
    r"^\s*(?:::+|!!!|\?\?\?|={4,}|-{4,}|\|===|\[(?:source|NOTE|TIP|WARNING|IMPORTANT|CAUTION|cols|options|role)\b"
    r"|\.\. [\w-]+::|:[\w-]+: |=== \"|> \[!\w+\]|import .* from ['\"]|export (?:const|default)\b)"
    r"|\{[#:%{]|\{[a-z]+(?:-[a-z]+)+\}|[%}]\}|\[\[|\]\]|</?(?:"
    + TAGS
    + r")(?:\s[^<>]*)?/?>|:[a-z]+:`|`_{1,2}(?!\w)|<<\w"
    r"|\b(?:xref|include|image|link|kbd|menu|btn):{1,2}[^\s\[]*\[",
    re.MULTILINE,
)
WORD = re.compile(r"[^\W\d_]{3,}")
SHORTEST = 80  # characters under a heading, below which it is no section to ask about


def main() -> None:
    """Measure one tree, and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("tree", type=Path)
    parser.add_argument("--questions", type=int, default=150)
    parser.add_argument("--examples", type=int, default=5)
    options = parser.parse_args()
    documents, notes = _lost(options.tree, options.examples)
    with folder() as place:
        kb = SupportKB.create(place / "kb")
        started = time.perf_counter()
        kb.add([options.tree], progress=lambda *_: None)
        read = time.perf_counter()
        kb.build(progress=lambda *_: None)
        built = time.perf_counter()
        print(
            f"{len(documents)} documents, {notes} notes; added in {read - started:.1f} s, built in {built - read:.1f} s"
        )
        _shown(kb, documents, options.questions, options.examples)
        kb.close()


def _lost(tree: Path, examples: int) -> tuple[list[Document], int]:
    """Print the share of the words that are nowhere; return the documents, and how many notes there are."""
    documents, words, lost, notes = [], 0, Counter[str](), 0
    for found in SupportKB.chunk([tree], ChunkRequest(), progress=lambda *_: None):
        if isinstance(found, Skipped):
            notes += 1
            continue
        documents.append(found.document)
        chunks, noise = (one.text for one in found.result.chunks), (one.text for one in found.result.noise)
        told = " ".join((found.document.title, *chunks, *noise))
        file = next((one for one in (tree / found.document.id, tree.parent / found.document.id) if one.is_file()), None)
        said = Counter(_words(file.read_text(encoding="utf-8", errors="replace"))) if file else Counter[str]()
        words += said.total()
        known = set(_words(told))
        lost.update({word: count for word, count in said.items() if word not in known})
    share = lost.total() / max(1, words)
    print(f"words that no chunk has: {lost.total()} of {words} ({share:.2%}); most often")
    print("  " + ", ".join(f"{word} {count}" for word, count in lost.most_common(10 * examples)))
    return documents, notes


def _words(text: str) -> list[str]:
    return WORD.findall(html.unescape(text).lower())


def _shown(kb: SupportKB, documents: Sequence[Document], most: int, examples: int) -> None:
    """Print how many first answers show markup."""
    asked = sorted({question for document in documents for question in _questions(document)})
    asked = random.Random(SEED).sample(asked, min(most, len(asked)))
    texts = {document.id: document.text for document in documents}
    shown = marked = 0
    for question in asked:
        first = next(iter(kb.ask(question).shown), None)
        shown += first is not None
        if first and (mark := MARKUP.search(_words_shown(first, texts))):
            marked += 1
            if marked <= examples:
                print(f"  {question!r} shows {mark.group().strip()!r}")
    print(f"first answers with markup of the site: {marked} of {shown} shown, of {len(asked)} questions")


def _questions(document: Document) -> Iterator[str]:
    for section in sections(document.text):
        if section.headings and section.own_end - section.start > len(section.headings[-1]) + SHORTEST:
            yield " ".join(dict.fromkeys((document.title, section.headings[-1])))


def _words_shown(solution: Solution, texts: Mapping[str, str]) -> str:
    """Return the steps without their lines of code, in which anything may stand."""
    lines = []
    for step, place in zip(solution.steps, solution.evidence, strict=True):
        text = texts.get(place.document, "")
        spans = code_within(text, (place.start, place.end)) if text else ()
        code = {line.strip() for start, end in spans for line in text[start:end].split("\n")}
        lines += [line for line in step.split("\n") if line.strip() not in code]
    return re.sub(r"`[^`\n]*`", "", "\n".join(lines))


if __name__ == "__main__":
    main()
