from __future__ import annotations

from dataclasses import replace

from autokb.core.domain import read_domain
from autokb.core.nouns import DISPLAYED, Document, Evidence, Issue, Solution
from autokb.core.solution_text import solution_text, solution_title
from autokb.heuristics.rules import RuleVerdict, find_breach
from autokb.heuristics.solutions.solution import Step, WrittenSolution, WrittenSolutions
from autokb.issues.solutions import (
    EXCERPT,
    FoundPassage,
    rules_request,
    safeguard,
    solutions_request,
    verify_quotes,
    written_solutions,
)
from autokb.tasks.issues.check_rules.task import TASK as CHECK_RULES
from autokb.tasks.issues.check_rules.task import CheckedRules
from autokb.tasks.issues.write_solutions.task import TASK as WRITE_SOLUTIONS

SPEC = read_domain(
    {
        "attributes": {"os": {"values": ["Windows", "macOS"]}},
        "rules": [
            {"id": "no-bleach", "text": "No bleach.", "patterns": ["bleach"]},
            {"id": "no-shop", "text": "Send nobody to the shop.", "patterns": [r"\bshop\b"]},
            {"id": "kind", "text": "Be kind."},
        ],
    }
)
NODE = Issue("issue-1", "How do I wind the clock?", None, {})
FILLER = "# Elsewhere\n\n" + "The clock has a long history. " * 400
TEXT = f"{FILLER}\n\n# Winding\n\n{{for mac}}\n\n## By hand\n\n1. Open the back.\n2. Turn the key.\n\n{{/for}}\n"


def found_in(document, words, cosine=0.8, **more):
    start = document.text.index(words)
    end = start + len(words)
    return FoundPassage(document, start, end, ((start, end, cosine),), **more)


def solve(document, words, node=NODE, **more):
    request = solutions_request(node, SPEC, [found_in(document, words, **more)])
    return tuple(w.solution for w in written_solutions(node, request, WRITE_SOLUTIONS.answer_offline(request)))


def test_evidence_points_into_the_document_and_not_into_the_excerpt():
    document = Document("clock.md", "Clock", TEXT)
    (solution,) = solve(document, "Turn the key.")
    assert solution.evidence[1].start == TEXT.index("2. Turn the key.") > EXCERPT
    assert verify_quotes(solution, {document.id: document}) == ()
    assert solution.text == "By hand (macOS)\n1. Open the back.\n2. Turn the key."


def test_an_excerpt_knows_the_headings_and_switches_it_stands_in():
    document = Document("clock.md", "Clock", TEXT)
    (solution,) = solve(document, "Turn the key.")
    assert solution.attributes == {"os": frozenset({"macOS"})}
    assert solve(document, "Turn the key.", replace(NODE, attributes={"os": frozenset({"Windows"})})) == ()


def test_the_excerpt_is_the_widest_section_that_is_not_too_long():
    document = Document("clock.md", "Clock", TEXT)
    request = solutions_request(NODE, SPEC, [found_in(document, "Turn the key.")])
    assert request.excerpts[0].text.startswith("# Winding")
    small = Document("small.md", "Clock", TEXT[len(FILLER) :])
    assert solutions_request(NODE, SPEC, [found_in(small, "Turn the key.")]).excerpts[0].text == small.text


def test_a_list_longer_than_an_excerpt_stays_whole():
    text = "Intro.\n\n" + "\n".join(f"{n}. Press the key number {n} and wait for the bell." for n in range(1, 400))
    (solution,) = solve(Document("long.md", "Clock", text), "Press the key number 200 and")
    assert len(solution.steps) == 399


def test_of_prose_without_end_the_part_around_the_hit_is_the_excerpt():
    text = "Press the small key. " * 3000 + "Turn the great wheel. " + "Press the small key. " * 3000
    document = Document("long.txt", "Clock", text)
    (found,) = solutions_request(NODE, SPEC, [found_in(document, "Turn the great wheel.")]).excerpts
    assert "Turn the great wheel." in found.text and len(found.text) <= EXCERPT
    assert text[found.offset - 1] == " " and text[found.offset + len(found.text)] == " "
    assert verify_quotes(solve(document, "Turn the great wheel.")[0], {document.id: document}) == ()


def test_two_hits_in_one_section_are_one_excerpt():
    document = Document("clock.md", "Clock", TEXT)
    hits = [found_in(document, "Turn the key."), found_in(document, "Open the back.")]
    assert len(solutions_request(NODE, SPEC, hits).excerpts) == 1


def test_the_id_stays_when_text_elsewhere_in_the_document_changes():
    before = solve(Document("clock.md", "Clock", TEXT), "Turn the key.")[0]
    changed = Document("clock.md", "Clock", TEXT.replace("long history", "short and merry history"))
    after = solve(changed, "Turn the key.")[0]
    assert after.id == before.id
    assert after.evidence[0].start != before.evidence[0].start
    assert solve(Document("other.md", "Clock", TEXT), "Turn the key.")[0].id != before.id
    assert solve(changed, "Turn the key.", replace(NODE, id="issue-2"))[0].id != before.id


def test_false_quotes_are_named():
    document = Document("d", "T", "Turn the key.")
    good = Solution("s", "i", "t", ("Turn.",), {}, (Evidence("d", 0, 4, "Turn"),))
    assert verify_quotes(good, {"d": document}) == ()
    wrong = {
        "does not say 'Pull'": (Evidence("d", 0, 4, "Pull"),),
        "is not there": (Evidence("gone", 0, 4, "Turn"),),
        "pieces of evidence": (),
        "does not say ''": (Evidence("d", 0, 0, ""),),
    }
    for message, evidence in wrong.items():
        assert message in " ".join(verify_quotes(replace(good, evidence=evidence), {"d": document}))


def solution_of(*steps, title="Winding", ordered=False):
    nested = [step.replace("\n", "\n   ") for step in steps]
    quotes = [f"{n}. {step}" if ordered else f"- {step}" for n, step in enumerate(nested, 1)]
    evidence = tuple(Evidence("d", 0, len(q), q) for q in quotes)
    return Solution("s", "issue-1", solution_text(title, steps, quotes), steps, {}, evidence)


def guarded(solution, language="en"):
    return safeguard(solution, CHECK_RULES.answer_offline(rules_request(solution, NODE, SPEC)), language)


def test_a_solution_that_keeps_the_rules_is_shown_with_its_verdicts():
    kept = guarded(solution_of("Turn the key.", "Close it."))
    assert kept.status == "displayed"
    assert [v.verdict for v in kept.rules] == ["not applicable", "not applicable", "not judged"]


def test_an_offending_step_of_its_own_is_left_out_and_the_record_says_so():
    repaired = guarded(solution_of("Turn the key.", "Rub it with bleach.", "Close it."))
    assert repaired.status == "repaired"
    assert repaired.steps == ("Turn the key.", "Close it.")
    assert [e.quote for e in repaired.evidence] == ["- Turn the key.", "- Close it."]
    assert repaired.text == "Winding\n- Turn the key.\n- Close it."
    assert "“Rub it with bleach.”" in repaired.reason and "says “bleach”" in repaired.reason
    assert repaired.rules[0].verdict == "kept" and "Rub it" in repaired.rules[0].reason


def test_a_doubt_is_on_record_and_its_step_is_shown_only_where_the_team_wants_it():
    solution = solution_of("Turn the key.", "Push the lid firmly.", "Close it.")
    doubt = RuleVerdict(rule="no-force", verdict="doubt", reason="Firmly may be too much.", places=(2,))
    hidden = safeguard(solution, CheckedRules(verdicts=(doubt,)))
    assert (hidden.status, hidden.steps) == ("repaired", ("Turn the key.", "Close it."))
    shown = safeguard(solution, CheckedRules(verdicts=(doubt,)), shows_doubted=True)
    assert (shown.status, shown.steps) == ("displayed", solution.steps)
    assert [(v.verdict, v.rule) for one in (hidden, shown) for v in one.rules] == [("doubt", "no-force")] * 2
    whole = safeguard(solution, CheckedRules(verdicts=(doubt.model_copy(update={"places": ()}),)))
    assert whole.status == "withheld" and "It may break no-force." in whole.reason
    both = (doubt, RuleVerdict(rule="no-keys", verdict="broken", reason="A key.", places=(1,)))
    repaired = safeguard(solution, CheckedRules(verdicts=both), shows_doubted=True)
    assert repaired.steps == ("Push the lid firmly.", "Close it.") and "Firmly" not in repaired.reason


def test_the_last_or_an_optional_step_of_a_procedure_can_go():
    last = guarded(solution_of("Turn the key.", "Take it to the shop.", ordered=True))
    assert (last.status, last.steps) == ("repaired", ("Turn the key.",))
    optional = guarded(solution_of("If it is stuck, go to the shop.", "Turn the key.", "Close it.", ordered=True))
    assert (optional.status, len(optional.steps)) == ("repaired", 2)


def test_the_words_of_the_language_say_which_step_is_optional():
    german = solution_of("Falls es klemmt, go to the shop.", "Turn the key.", "Close it.", ordered=True)
    assert (guarded(german, "de").status, guarded(german).status) == ("repaired", "withheld")


def test_of_a_step_with_bullets_only_the_offending_bullet_goes():
    steps = ("Clean it:\n- Use water.\n- Use bleach.\n- Dry it.", "Close it.")
    repaired = guarded(solution_of(*steps, ordered=True))
    assert (repaired.status, repaired.steps[0]) == ("repaired", "Clean it:\n- Use water.\n- Dry it.")
    assert "part of step 1" in repaired.reason
    assert guarded(solution_of("Bleach it:\n- Use water.", "Close it.", ordered=True)).status == "withheld"


def test_a_step_that_others_need_withholds_the_solution():
    withheld = guarded(solution_of("Soak it in bleach.", "Dry it.", ordered=True))
    assert withheld.status == "withheld"
    assert withheld.reason.endswith(
        "cannot be left out: the steps after it may need it. If they do not, edit the text."
    )
    assert withheld.steps == ("Soak it in bleach.", "Dry it.")
    assert withheld.rules[0].verdict == "broken"


def test_a_repair_that_makes_a_solution_senseless_withholds_it():
    going_on = guarded(solution_of("Turn the key.", "Soak it in bleach.", "Then dry it."))
    assert going_on.status == "withheld" and "goes on from it" in going_on.reason
    emptied = guarded(solution_of("Use one of these:\n- bleach", "Turn the key."))
    assert (emptied.status, emptied.steps) == ("repaired", ("Turn the key.",))
    led = solution_of("To clean it: Soak it in bleach.", "Dry it.")
    quote = "To clean it:\n\n1. Soak it in bleach."
    led = replace(led, evidence=(Evidence("d", 0, len(quote), quote), led.evidence[1]))
    assert guarded(led).status == "withheld"


def test_nothing_left_to_do_or_an_offending_title_withholds_the_solution():
    assert guarded(solution_of("Use bleach.")).status == "withheld"
    assert guarded(solution_of("Use bleach.", "The clock is then white.")).status == "withheld"
    titled = guarded(solution_of("Turn the key.", "Close it.", title="Go to the shop"))
    assert titled.status == "withheld" and "title" in titled.reason


def test_whatever_is_displayed_obeys_every_pattern():
    parts = ("Turn the key.", "Use bleach.", "If all fails, visit the shop.", "The shop is near.")
    shown = 0
    for first in parts:
        for second in parts:
            for ordered in (False, True):
                found = guarded(solution_of(first, second, "Close it.", ordered=ordered))
                if found.status in DISPLAYED:
                    shown += 1
                    assert not any(find_breach(rule, found.text) for rule in SPEC.rules)
                    assert len(found.steps) == len(found.evidence)
    assert shown > 10


def test_the_title_can_be_read_back_from_a_solution():
    for steps in (("One.",), ("One.", "Two.\nMore.")):
        assert solution_title(Solution("s", "i", solution_text("A title", steps, ()), steps, {}, ())) == "A title"
        assert solution_title(Solution("s", "i", solution_text("", steps, ()), steps, {}, ())) == ""


def test_what_a_check_left_out_stays_on_record_through_the_rules():
    earlier = replace(solution_of("Turn the key.", "Use bleach.", "Close it."), status="repaired", reason="Left out x.")
    both = guarded(earlier)
    assert (both.status, both.steps) == ("repaired", ("Turn the key.", "Close it."))
    assert both.reason.startswith("Left out x. Left out “Use bleach.”.")
    kept = guarded(replace(solution_of("Turn the key."), status="repaired", reason="Left out x."))
    assert (kept.status, kept.reason) == ("repaired", "Left out x.")


def test_what_was_withheld_is_not_shown_because_a_rule_could_be_mended():
    withheld = replace(
        solution_of("Turn the key.", "Use bleach.", "Close it."), status="withheld", reason="For others."
    )
    found = guarded(withheld)
    assert (found.status, found.reason, found.rules[0].verdict) == ("withheld", "For others.", "broken")
    empty = guarded(Solution("s", "issue-1", "Winding", (), {}, (), status="withheld", reason="No true quote."))
    assert (empty.status, empty.reason) == ("withheld", "No true quote.")


def test_a_step_from_another_excerpt_has_its_evidence_there_and_the_status_is_taken_over():
    one, two = Document("one.md", "One", "Open it."), Document("two.md", "Two", TEXT)
    request = solutions_request(NODE, SPEC, [found_in(one, "Open it."), found_in(two, "Turn the key.")])
    place = request.excerpts[1].text.index("Turn the key.")
    steps = (
        Step(text="Open it.", start=0, end=8, quote="Open it."),
        Step(text="Turn the key.", start=place, end=place + 13, quote="Turn the key.", excerpt=1),
    )
    written = WrittenSolution(
        excerpt=0,
        title="T",
        headings=(),
        which=0,
        steps=steps,
        attributes={},
        similarity=0.5,
        status="repaired",
        reason="r",
    )
    reply = WrittenSolutions(solutions=(written,))
    WRITE_SOLUTIONS.check(request, reply)
    (solution,) = (w.solution for w in written_solutions(NODE, request, reply))
    assert [e.document for e in solution.evidence] == ["one.md", "two.md"]
    assert (solution.status, solution.reason) == ("repaired", "r")
    assert verify_quotes(solution, {d.id: d for d in (one, two)}) == ()
