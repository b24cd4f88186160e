"""What of a workspace has a date, and which theme and tree, or component, each of it belongs to."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from autokb.core.forest import Forest
from autokb.core.in_use import LoggedQuestion
from autokb.core.nouns import CUSTOMER, Conversation, Issue
from autokb.core.tickets import Ticket
from autokb.plugins.insight.rises import DatedEvents, Group, SourceName
from autokb.stores.chats import staged_conversations
from autokb.stores.question_log import read_questions
from autokb.stores.ticket_tables import read_tickets
from autokb.stores.workspace_file import WorkspaceFile
from autokb.usage.weeks import week_of
from autokb.views.solutions_in_memory import AllSolutions
from autokb.views.theme_names import ThemeNames

MOST_CONVERSATIONS = 1_000  # the newest: each is asked for its tree, 10 to 30 ms, once in a process and publication
TreesOf = Callable[[Sequence[str]], list[str]]  # from what customers wrote to the nodes that fit, '' for none


@dataclass(frozen=True)
class DatedKnowledge:
    """The dated things of a workspace by their sources, with the names of their groups.

    ``published`` is when each version that is kept was published, as far as somebody noted it.
    """

    sources: tuple[DatedEvents, ...]
    names: Mapping[Group, str]
    questions: tuple[LoggedQuestion, ...]
    published: Mapping[int, str]
    shown_version: int
    roots: Mapping[str, str]


@dataclass(frozen=True)
class BegunConversations:
    """When each added conversation began, with the node of what its customer wrote first: '' for none.

    ``unread`` says why some have none.
    """

    begun: tuple[tuple[str, str], ...]
    unread: str


def read_conversations(file: WorkspaceFile, trees_of: TreesOf, end: int) -> BegunConversations:
    """Read the added conversations up to a week, at which no build looks; later ones have no node.

    ``trees_of`` asks hundreds of questions perhaps, so call this in no transaction.
    """
    begun = [(_beginning(chat), chat) for chat in staged_conversations(file)]
    weeks = {date: _week_or(date, end + 1) for date, _ in begun}
    dated = sorted(((date, chat.id, chat) for date, chat in begun if weeks[date] <= end), reverse=True)
    read = dated[:MOST_CONVERSATIONS]
    nodes = trees_of([_first_words(chat) for _, _, chat in read]) if read else []
    placed = ((date, node) for (date, _, _), node in zip(read, nodes, strict=True))
    others = ((date, "") for date, _ in begun if weeks[date] > end)
    unread = f"Only the newest {MOST_CONVERSATIONS:,} were read." if len(dated) > len(read) else ""
    return BegunConversations((*placed, *others), unread)


def read_dated(file: WorkspaceFile, known: AllSolutions, conversations: BegunConversations) -> DatedKnowledge:
    """Read all sources but the ``conversations``, which were read before."""
    forest: Forest[Issue] = Forest(known.issues.values())
    roots = {node: forest.root(node).id for node in forest.nodes}
    themes = ThemeNames(file, of_many=True)
    names: dict[Group, str] = {("tree", root): forest.nodes[root].text for root in set(roots.values())}
    published = {one.number: str(one.body.get("date", "")) for one in file.versions()}

    def groups_of(node: str) -> tuple[Group, ...]:
        if node not in roots:
            return ()
        tree: Group = ("tree", roots[node])
        theme = themes.of_issue(roots[node])
        return (tree, ("theme", theme)) if theme else (tree,)

    questions = tuple(read_questions(file))
    sources = (
        _raw_issues(file, groups_of),
        _questions(questions, groups_of, _beginnings(file, published, set(roots.values()))),
        replace(
            _sorted_in("conversations", ((date, groups_of(node)) for date, node in conversations.begun)),
            unread=conversations.unread,
        ),
        _tickets(one.ticket for one in read_tickets(file).values()),
    )
    some = tuple(one for one in sources if one.events or one.undated)
    return DatedKnowledge(some, names, questions, published, file.shown_version, roots)


def _sorted_in(source: SourceName, dated: Iterable[tuple[str, tuple[Group, ...]]]) -> DatedEvents:
    """Return things with their weeks, and count those without."""
    found = [(week_of(moment), groups) for moment, groups in dated]
    events = [(week, groups) for week, groups in found if week is not None]
    return DatedEvents(source, events, len(found) - len(events))


def _raw_issues(file: WorkspaceFile, groups_of: Callable[[str], tuple[Group, ...]]) -> DatedEvents:
    """Return what the shown version was built from; one without a tree counts for its theme."""
    names = {theme: name for theme, (name,) in file.fields("theme", "name").items()}

    def place(issue: str, theme: str) -> tuple[Group, ...]:
        return groups_of(issue) or ((("theme", names[theme]),) if names.get(theme) else ())

    rows = file.fields("raw_issue", "date", "issue", "theme").values()
    return _sorted_in("issues", ((date, place(issue, theme)) for date, issue, theme in rows))


def _questions(
    log: Iterable[LoggedQuestion], groups_of: Callable[[str], tuple[Group, ...]], begins: Mapping[Group, int]
) -> DatedEvents:
    """Return what was asked, once a conversation and tree, by what was shown first for it then.

    A tree that was shown was there, whatever the versions that are kept say of its beginning.
    """
    asked: dict[tuple[str, tuple[Group, ...]], str] = {}
    for one in log:
        groups = groups_of(one.issues[0]) if one.issues else ()
        asked.setdefault((one.conversation or str(one.number), groups), one.date)
    found = _sorted_in("questions", ((date, groups) for (_, groups), date in asked.items()))
    seen: dict[Group, int] = {}
    for week, groups in found.events:
        seen.update({group: min(week + 1, seen.get(group, week + 1)) for group in groups})
    return replace(found, begins={tree: min(week, seen.get(tree, week)) for tree, week in begins.items()})


def _beginnings(file: WorkspaceFile, published: Mapping[int, str], trees: set[str]) -> dict[Group, int]:
    """Return the first whole week in which questions could be shown each tree.

    Of a tree that came with a version that is not kept any more, that of the oldest one that is.
    """
    oldest = min(published, default=0)
    found: dict[Group, int] = {}
    for tree, number in file.first_versions("issue").items():
        week = week_of(published.get(max(number, oldest), ""))
        if tree in trees and week is not None:
            found["tree", tree] = week + 1
    return found


def _beginning(chat: Conversation) -> str:
    return next((m.date for m in chat.messages if m.date), "")


def _week_or(date: str, otherwise: int) -> int:
    week = week_of(date)
    return otherwise if week is None else week


def _first_words(chat: Conversation) -> str:
    return next((m.text for m in chat.messages if m.role == CUSTOMER), "")


def _tickets(tickets: Iterable[Ticket]) -> DatedEvents:
    """Return published tickets by when they were created: by component, or by project where none is named."""

    def groups(one: Ticket) -> tuple[Group, ...]:
        if one.components:
            return tuple(("component", name) for name in dict.fromkeys(one.components))
        return (("project", one.project),) if one.project else ()

    return _sorted_in("tickets", ((one.created, groups(one)) for one in tickets))
