"""Finding the files of what was added: sorted, without hidden ones, safe against links that loop or lead elsewhere."""

from __future__ import annotations

import os
import stat
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from autokb.core.errors import BadInputError
from autokb.core.nouns import Skipped

# Left behind by operating systems and programming tools; no person means them as sources.
_SYSTEM_NAMES = frozenset({"thumbs.db", "desktop.ini", "__macosx", "__pycache__", "node_modules"})
_LEADS_OUT = "is a link out of the folder that was added; add its target by name, or follow links with --follow-links."


@dataclass(frozen=True, slots=True)
class FoundFile:
    """A regular file inside an added folder, or one that ``is_alone``: of its folder nothing else was added."""

    root: str
    relative: str
    is_alone: bool = field(default=False, compare=False)

    @property
    def path(self) -> Path:
        """Where it lies."""
        return Path(self.root, self.relative)


def find_files(
    paths: Sequence[Path], added: Collection[str] = (), *, follow_links: bool = False
) -> tuple[list[FoundFile], list[Skipped]]:
    """Return the files under the paths, each once, and what could not be followed.

    A file's root is the path given, or what of ``added`` it is or lies in: the resolved paths of folders and files that
    were added before. So one file has one name, whether it is added alone, with its folder or with one above.
    A link inside a folder that leads out of it is followed with ``follow_links`` only: whoever wrote the folder may
    not be allowed to read what the link names. A path that is itself a link was named by a person, and is followed.
    Raises BadInputError for a path that does not exist.
    """
    found: list[FoundFile] = []
    skipped: list[Skipped] = []
    for path in paths:
        if not os.path.lexists(path):
            raise BadInputError(f"{path} does not exist; check the spelling, or give another file or folder.")
        if path.is_dir():
            _walk(path.resolve(), added, found, skipped, follow_links=follow_links)
        else:
            folder = path.absolute().parent.resolve()
            above = _added_folder(folder, added)
            file = _named_file(folder / path.name, above or folder, added)
            _add_file(replace(file, is_alone=above is None), found, skipped)
    seen: set[FoundFile | str] = set()
    unique = []
    for file in found:
        # Added twice, or under a second name. A link to it is a file of its own: somebody put it there.
        real = os.path.realpath(file.path)
        if file not in seen and (real not in seen or file.path.is_symlink()):
            seen |= {file, real}
            unique.append(file)
    return unique, skipped


def _added_folder(folder: Path, added: Collection[str]) -> Path | None:
    """Return the innermost folder among ``added`` that this one is or lies in."""
    return next((one for one in (folder, *folder.parents) if str(one) in added), None)


def _named_file(path: Path, root: Path, added: Collection[str]) -> FoundFile:
    alone = str(path) in added
    return FoundFile(str(path.parent if alone else root), path.name if alone else path.relative_to(root).as_posix())


def _walk(
    start: Path, added: Collection[str], found: list[FoundFile], skipped: list[Skipped], *, follow_links: bool
) -> None:
    first_name_of = {os.path.realpath(start): "."}
    waiting = [(start, _added_folder(start, added) or start)]
    while waiting:
        folders = []
        folder, root = waiting.pop()
        for entry in _sorted_entries(root, folder, skipped):
            relative = entry.relative_to(root).as_posix()
            # These of os.path are false where a path is longer than the system takes; its own would end the command.
            if not follow_links and os.path.islink(entry) and _leads_out(entry, root):  # noqa: PTH114
                skipped.append(Skipped(relative, _LEADS_OUT))
            elif not os.path.isdir(entry):  # noqa: PTH112
                _add_file(_named_file(entry, root, added), found, skipped)
            elif first := first_name_of.get(os.path.realpath(entry)):
                skipped.append(Skipped(relative, f"is a link to a folder that is read already ({first}); left out."))
            else:
                first_name_of[os.path.realpath(entry)] = relative
                folders.append((entry, entry if str(entry) in added else root))
        waiting.extend(reversed(folders))


def _leads_out(link: Path, root: Path) -> bool:
    try:
        return not link.resolve(strict=True).is_relative_to(root)
    except (OSError, RuntimeError):
        return False  # it leads nowhere, or to itself; opening it says so


def _sorted_entries(root: Path, folder: Path, skipped: list[Skipped]) -> Iterator[Path]:
    try:
        names = [entry.name for entry in folder.iterdir()]
    except OSError as error:
        relative = folder.relative_to(root).as_posix()
        skipped.append(Skipped(relative, f"the folder cannot be opened ({error.strerror}); check its permissions."))
        return
    # Real folders before links, so that a loop or a second name is reported at the link.
    wanted = [n for n in names if not n.startswith((".", "~$")) and n.lower() not in _SYSTEM_NAMES]
    yield from sorted((folder / n for n in wanted), key=lambda p: (os.path.islink(p) and os.path.isdir(p), p.name))  # noqa: PTH112, PTH114


def _add_file(file: FoundFile, found: list[FoundFile], skipped: list[Skipped]) -> None:
    try:
        mode = file.path.stat().st_mode
    except OSError as error:
        reason = f"cannot be opened ({error.strerror}); mend the link or the permissions, or shorten the path."
        skipped.append(Skipped(file.relative, reason))
        return
    if stat.S_ISREG(mode):
        found.append(file)
    else:
        skipped.append(Skipped(file.relative, "is no regular file (a pipe, socket or device); save it as a file."))
