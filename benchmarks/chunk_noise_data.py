"""Pages with known text: what is read of them, halves for tuning and for the report, and how kept text is scored."""

from __future__ import annotations

import gzip
import hashlib
import json
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

DATA = Path(__file__).parents[2] / "shared/data/D_chunking"
SETS = ("article_extraction_benchmark", "readability_pages", "trafilatura_eval")
MANUALS = {"product_docs": DATA / "product_docs", "phones": DATA.parent / "A_troubleshooting/samsung_galaxy_manuals"}
# What stands around the text of a manual's page: links to the pages before and after, the contents, legal notices.
_AROUND_MANUALS = "//head | //script | //div[@class='navheader' or @class='navfooter' or @class='toc' or @id='footer']"
REPEATED = 8  # words: shorter paragraphs may well be said twice
SHINGLE = 4  # words, as in the article extraction benchmark
_WORD = re.compile(r"\w+")
_BEHIND = re.compile(r"\s[|–—:-]\s[^|–—]*\Z")
_BLOCK = re.compile(
    r"</?(?:p|div|li|ul|ol|tr|td|th|table|h[1-6]|br|pre|blockquote|section|article|figure)\b[^>]*>", re.I
)


@dataclass(frozen=True, slots=True)
class GoldPage:
    """A page: ``gold`` is its text (empty in trafilatura_eval, which has snippets that must or must not be kept)."""

    set: str
    id: str
    html: str
    gold: str = ""
    must: tuple[str, ...] = ()
    must_not: tuple[str, ...] = ()

    @property
    def fits(self) -> bool:
        """Whether the page is in the half that rules are written and tuned on; the report uses the other half only."""
        return int(hashlib.sha256(self.id.encode()).hexdigest(), 16) % 2 == 0


def gold_pages() -> Iterator[GoldPage]:
    """Read the pages of the three sets."""
    for page in _lines(SETS[0], "pages.jsonl"):
        yield GoldPage(SETS[0], page["page_id"], _html(SETS[0], page["page_id"]), page["article_body"])
    for page in _lines(SETS[1], "index.jsonl"):
        name = page["page_id"]
        expected = _read(DATA / SETS[1] / f"{name}.expected.html.gz")
        yield GoldPage(SETS[1], name, _read(DATA / SETS[1] / f"{name}.source.html.gz"), words_of(expected))
    for page in _lines(SETS[2], "pages.jsonl"):
        snippets = tuple(page["must_contain"]), tuple(page["must_not_contain"])
        yield GoldPage(SETS[2], page["page_id"], _html(SETS[2], page["page_id"]), "", *snippets)


def manual_pages(name: str) -> Iterator[GoldPage]:
    """Read the web pages of the manuals; all of a page is its text but what surely stands around it."""
    from lxml import html as lxml_html

    for path in sorted(MANUALS[name].rglob("*.html*")):
        html = _read(path) if path.suffix == ".gz" else path.read_text(encoding="utf-8", errors="replace")
        root = lxml_html.fromstring(html.encode(), parser=lxml_html.HTMLParser(encoding="utf-8"))
        for element in root.xpath(_AROUND_MANUALS):
            element.drop_tree()
        yield GoldPage(
            name, f"{path.parent.name}/{path.name}", html, words_of(lxml_html.tostring(root, encoding="unicode"))
        )


def _lines(name: str, file: str) -> Iterator[dict[str, Any]]:
    for line in (DATA / name / file).read_text(encoding="utf-8").splitlines():
        yield json.loads(line)


def _html(name: str, page: str) -> str:
    return _read(DATA / name / "html" / f"{page}.html.gz")


def _read(path: Path) -> str:
    with gzip.open(path) as file:
        return file.read().decode("utf-8", "replace")


def words_of(html: str) -> str:
    """Return the text of a piece of HTML, with a line break where a block begins or ends."""
    from lxml import html as lxml_html

    if not html.strip():
        return ""
    return lxml_html.fromstring(f"<div>{_BLOCK.sub(lambda m: chr(10) + m.group(), html)}</div>").text_content()


@dataclass(frozen=True, slots=True)
class Score:
    """How the kept text of one page stands to its gold text."""

    precision: float
    recall: float


def score(kept: str, gold: str) -> Score:
    """Compare two texts as bags of runs of four words."""
    one, two = _shingles(kept), _shingles(gold)
    shared = sum((one & two).values())
    return Score(_share(shared, sum(one.values())), _share(shared, sum(two.values())))


def _share(part: int, whole: int) -> float:
    return part / whole if whole else 0.0


def without_titles(page: GoldPage, kept: str) -> str:
    """Return the kept text without lines that say the page's title: gold texts begin below it.

    A title is a top heading, or the title of the document with or without what stands behind its last stroke. A line
    that the gold text has too stays.
    """
    from lxml import html as lxml_html

    # Without an encoding the parser would guess one, and a title with an accent would not be found again.
    root = lxml_html.fromstring(page.html.encode(), parser=lxml_html.HTMLParser(encoding="utf-8"))
    titles = {_settled(h.text_content()) for h in root.iter("h1")}
    for whole in (_settled(title.text_content()) for title in root.iter("title")):
        titles |= {whole, _BEHIND.sub("", whole)}
    titles -= {_settled(line) for line in page.gold.split("\n")}
    return "\n".join(line for line in kept.split("\n") if _settled(line).lstrip("# ") not in titles)


def says_paragraphs_twice(page: GoldPage) -> bool:
    """Return whether a page's known text holds a paragraph twice, as the filler text of made-up pages does."""
    lines = [line for line in map(_settled, page.gold.split("\n")) if len(line.split()) >= REPEATED]
    return len(lines) != len(set(lines))


def _shingles(text: str) -> Counter[tuple[str, ...]]:
    words = _WORD.findall(text)
    if len(words) < SHINGLE:
        return Counter([tuple(words)] if words else [])
    return Counter(tuple(words[n : n + SHINGLE]) for n in range(len(words) - SHINGLE + 1))


def f1(scores: Sequence[Score]) -> float:
    """Return F1 of the means of precision and recall over pages, as the article extraction benchmark does."""
    precision = sum(s.precision for s in scores) / len(scores)
    recall = sum(s.recall for s in scores) / len(scores)
    return 2 * precision * recall / (precision + recall) if precision + recall else 0.0


def words_kept(page: GoldPage, kept: str) -> tuple[int, int]:
    """Return how many of a page's words are kept, and how many it has."""
    words = Counter(_WORD.findall(page.gold))
    return (words & Counter(_WORD.findall(kept))).total(), words.total()


def lost(page: GoldPage, kept: str) -> int:
    """Return how many snippets that must be kept are not."""
    kept = _settled(kept)
    return sum(_settled(snippet) not in kept for snippet in page.must)


def let_in(page: GoldPage, kept: str) -> int:
    """Return how many snippets that must not be kept are."""
    kept = _settled(kept)
    return sum(_settled(snippet) in kept for snippet in page.must_not)


def _settled(text: str) -> str:
    return " ".join(text.split())
