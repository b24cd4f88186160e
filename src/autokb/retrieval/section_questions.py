"""What a customer might ask about the sections of the documents, where nobody has asked yet."""

from __future__ import annotations

from collections.abc import Iterator

from autokb.core.nouns import Document
from autokb.text.markdown import Section, sections
from autokb.text.plain_text import plain_text
from autokb.text.sentences import sentences

CHARACTERS = 150  # of a section's first sentence, about as long as a question

SectionQuestion = tuple[str, Section, str]  # document id, the section, what is asked


def section_questions(document: Document, language: str) -> Iterator[SectionQuestion]:
    """Give for each section its heading with the one above, and its first sentence."""
    for section in sections(document.text):
        if section.headings:
            above = (document.title, *section.headings)[-2:]
            yield document.id, section, " ".join(dict.fromkeys(above)).strip()
        spans = sentences(document.text, section.start, section.own_end, language=language)[bool(section.headings) :]
        if spans and (first := plain_text(document.text[slice(*spans[0])])[:CHARACTERS].strip()):
            yield document.id, section, first
