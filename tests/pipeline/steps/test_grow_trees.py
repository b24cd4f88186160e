"""Which trees are left when off-topic raw issues grow none."""

from __future__ import annotations

from autokb.core.nouns import Issue, RawIssue
from autokb.pipeline.steps.trees import OFF_TOPIC, Grown, drop_off_topic


def of(*members: str) -> list[Issue]:
    """Return a tree of these raw issues, with a child."""
    parent = Issue(f"tree of {members[0]}", "", None, {}, raw_issues=members)
    return [parent, Issue(f"child of {members[0]}", "", parent.id, {})]


TREES = [*of("pizza", "weather"), *of("sound", "crypto"), *of("linked")]
GROWN = Grown(
    tuple(TREES),
    {"early": "Its reason."},
    {"tree of pizza": "pizza", "tree of sound": "sound"},
    {"pizza": "tree of pizza", "sound": "tree of sound"},
)
RAW = [RawIssue(n, n, resolved_by=("a.md",) if n == "linked" else ()) for n in ("pizza", "weather", "sound", "linked")]


def test_only_a_tree_that_nobody_reported_on_topic_goes() -> None:
    left = drop_off_topic(GROWN, RAW, {"pizza", "weather", "crypto", "linked"})
    assert [issue.id for issue in left.issues] == [
        "tree of sound", "child of sound", "tree of linked", "child of linked",
    ]  # fmt: skip
    assert left.reasons == {"early": "Its reason.", "pizza": OFF_TOPIC, "weather": OFF_TOPIC}
    assert left.seed_of == {"tree of sound": "sound"}


def test_where_nothing_is_off_topic_everything_stays() -> None:
    assert drop_off_topic(GROWN, RAW, ()) == GROWN
