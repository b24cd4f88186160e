"""The blind sheets that people judge in a browser: CSV files of a workspace's own folder, saved case by case.

A saved sheet is replaced whole, under a lock that the system frees: whoever is killed loses the case under work alone,
and no two of several people, processes or windows overwrite each other.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path

from autokb.core.errors import BadInputError, UnknownIdError, UnwritableWorkspaceError
from autokb.core.files import replace_private
from autokb.plugins.lab.evaluation.sheets import key_path
from autokb.plugins.lab.evaluation.suggestions.sheet import read_item_means
from autokb.plugins.lab.evaluation.suggestions.sheet_form import (
    SheetProgress,
    read_sheet_rows,
    sheet_progress,
    with_marks,
)
from autokb.stores.workspace import Workspace, one_at_a_time
from autokb.text.control_characters import printable_name

FOLDER = "sheets"  # of a workspace
LOCK_FILE = ".lock"
WAITING_SECONDS = 10  # for others who save; one takes milliseconds
NAME_CHARACTERS = 60  # of an annotator at most; longer than the id of any key
NO_NAME = "Say who judges: a name of {most} characters at most, the same each time."


def sheet_names(workspace: Workspace) -> tuple[str, ...]:
    """Return the sheets that can be judged: those with a key, without which nobody could read them."""
    found = (workspace.folder / FOLDER).glob("*.csv")
    return tuple(sorted(path.stem for path in found if key_path(path).exists()))


def is_judged_in_browser(workspace: Workspace, sheet: Path) -> bool:
    """Return whether a sheet lies where the pages find it."""
    return sheet.resolve().parent == (workspace.folder / FOLDER).resolve()


def make_folder_for(workspace: Workspace, sheet: Path) -> None:
    """Make the folder of the sheets where one is to be written there."""
    if is_judged_in_browser(workspace, sheet):
        with suppress(OSError):  # which the writing of the sheet says
            (workspace.folder / FOLDER).mkdir(mode=0o700, exist_ok=True)


def case_to_judge(workspace: Workspace, sheet: str, annotator: str, item: str = "", after: str = "") -> SheetProgress:
    """Return the case ``item``, else the next one behind ``after`` that an annotator has not judged whole."""
    _check_name(annotator)
    return sheet_progress(read_sheet_rows(_find(workspace, sheet)), sheet, annotator, item, after)


def judge_case(workspace: Workspace, sheet: str, annotator: str, item: str, marks: Mapping[str, str]) -> SheetProgress:
    """Save an annotator's marks of a case, by column, in place of earlier ones; returns what comes next."""
    _check_name(annotator)
    path = _find(workspace, sheet)
    with one_at_a_time(path.parent / LOCK_FILE, "Others are saving their marks", wait=WAITING_SECONDS):
        text = with_marks(read_sheet_rows(path), item, annotator, marks)
        try:
            replace_private(path, text.encode("utf-8"))
        except OSError as error:
            raise UnwritableWorkspaceError(f"{path} cannot be written ({error.strerror}).") from error
    return case_to_judge(workspace, sheet, annotator, after=item)


def judged_means(workspace: Workspace, systems: Sequence[str]) -> dict[str, dict[str, dict[str, float]]]:
    """Return what people gave the two ``systems`` on all sheets of them: by system, figure, and item of a sheet."""
    found: dict[str, dict[str, dict[str, float]]] = {system: {} for system in systems}
    for name in sheet_names(workspace):
        means = read_item_means(_find(workspace, name))
        if all(system in means for system in systems):
            for system in systems:
                for figure, items in means[system].items():
                    found[system].setdefault(figure, {}).update({f"{name} {i}": mean for i, mean in items.items()})
    return found


def _find(workspace: Workspace, sheet: str) -> Path:
    if sheet not in sheet_names(workspace):
        raise UnknownIdError(f"There is no sheet {sheet!r} to be judged, or its key is not beside it.")
    return workspace.folder / FOLDER / f"{sheet}.csv"


def _check_name(annotator: str) -> None:
    if not 0 < len(annotator) <= NAME_CHARACTERS or printable_name(annotator) != annotator.strip():
        raise BadInputError(NO_NAME.format(most=NAME_CHARACTERS))
