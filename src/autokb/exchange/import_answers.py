"""Answers to past tickets that people accepted, as an export's lines tell them, and how a workspace takes them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from autokb.core.nouns import Skipped
from autokb.core.results import Imported
from autokb.exchange.accept_ticket import clean_question
from autokb.exchange.jsonl_schema import Lines, take_out
from autokb.stores.ticket_answers import ACCEPTED, KIND, AcceptedAnswer, keep_accepted, read_accepted, read_taken_back
from autokb.stores.workspace_file import WorkspaceFile
from autokb.text.control_characters import printable_name

MOST_COUNTED = 10**12  # a larger number in a file is no count of decisions


def separate_answers(lines: Lines) -> list[AcceptedAnswer]:
    """Take the accepted answers out of an export's lines, in the order of their numbers; what has none comes last."""
    found = []
    for one in map(ACCEPTED.read, take_out(lines, KIND).values()):
        question, author, date = clean_question(one.question), printable_name(one.author), printable_name(one.date)
        number = one.number if one.number <= MOST_COUNTED else 0
        found.append(AcceptedAnswer(question, one.ticket, author, date, number))
    return sorted(found, key=lambda one: (one.number == 0, one.number, one.date, one.id))


def keep_answers(file: WorkspaceFile, answers: Sequence[AcceptedAnswer]) -> None:
    """Store the answers of a file that is taken whole, with its numbers; call it inside a transaction."""
    for one in answers:
        keep_accepted(file, one if one.number else replace(one, number=file.last_number() + 1))


def take_answers(file: WorkspaceFile, answers: Sequence[AcceptedAnswer]) -> Imported:
    """Store the answers of a file that are not known here, numbered anew; call it inside a transaction.

    One that was taken back here stays so, whatever a file says.
    """
    known, taken_back = {one.id for one in read_accepted(file)}, read_taken_back(file)
    unchanged = 0
    skipped = []
    for one in answers:
        if one.id in known:
            unchanged += 1
        elif one.id in taken_back:
            reason = (
                f"is accepted in the file for {one.question!r}, and that was taken back here since, which counts; to "
                "accept it again, use: autokb tickets accept"
            )
            skipped.append(Skipped(f"ticket {one.ticket}", reason))
        else:
            keep_accepted(file, replace(one, number=file.last_number() + 1))
            known.add(one.id)
    return Imported(len(answers) - unchanged - len(skipped), unchanged, tuple(skipped))
