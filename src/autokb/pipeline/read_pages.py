"""Files as whole pages, one file at a time: the Markdown of everything on them, and what marks tell of it."""

from __future__ import annotations

import time
from dataclasses import dataclass

from autokb.chunking.boilerplate.site_boilerplate import PageBlocks, page_blocks
from autokb.chunking.chunk_result import MarkedPage
from autokb.core.errors import UnreadableFileError
from autokb.core.nouns import Document, Skipped
from autokb.sources import Fields, read_documents
from autokb.sources.files import FoundFile


@dataclass(frozen=True, slots=True)
class SourcePage:
    """A page and where it is from: ``place`` is its file's path in what was given, ``file`` the whole path.

    ``seconds`` is what reading it took; ``blocks`` are those that are compared with other pages, where asked for.
    """

    page: MarkedPage
    place: str
    file: str
    seconds: float = 0.0
    blocks: PageBlocks | None = None

    @property
    def document(self) -> Document:
        """The page's document."""
        return self.page.document


@dataclass(frozen=True, slots=True)
class PagesOfFile:
    """What one file gave; a file of records gives many pages."""

    pages: tuple[SourcePage, ...]
    skipped: tuple[Skipped, ...] = ()


def read_pages(file: FoundFile, fields: Fields | None = None, *, with_blocks: bool = False) -> PagesOfFile:
    """Read one file; whatever is wrong with it is a line with the reason and never ends a run."""
    started = time.perf_counter()
    try:
        within = () if file.is_alone else (file.root,)
        reading = read_documents([file.path], fields, added=within)
    except UnreadableFileError as error:
        return PagesOfFile((), (Skipped(file.relative, str(error)),))
    except (MemoryError, RecursionError):
        return PagesOfFile((), (Skipped(file.relative, "is too large or nested too deeply; split it."),))
    except Exception as error:  # a parser of foreign bytes may throw anything, and the other files go on
        return PagesOfFile((), (Skipped(file.relative, f"cannot be read ({type(error).__name__}: {error})."),))
    each = (time.perf_counter() - started) / max(len(reading.records), 1)
    found, skipped = [], [*reading.skipped]
    for record in reading.records:
        page = MarkedPage(record.item, record.marks)
        try:
            blocks = page_blocks(page.document) if with_blocks else None
        except Exception as error:  # one odd page must not end the others
            skipped.append(not_chunked(file.relative, error))
        else:
            found.append(SourcePage(page, file.relative, str(file.path), each, blocks))
    return PagesOfFile(tuple(found), tuple(skipped))


def not_chunked(place: str, error: Exception) -> Skipped:
    """Say why a page cannot be chunked."""
    return Skipped(place, f"cannot be cut ({type(error).__name__}: {error}).")
