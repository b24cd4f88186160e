"""What an agent is offered of an answer."""

from __future__ import annotations

from dataclasses import replace

import pytest

from autokb.answering.answer import Answer, Matched
from autokb.answering.clarify import Clarification
from autokb.answering.suggest import Suggestion, suggestions_from
from autokb.core.attributes import Match
from autokb.core.domain import Attribute, DomainSpec
from autokb.core.nouns import Evidence, Hit, Issue, Solution
from autokb.core.reply_rules import ReplyRules, count_words
from autokb.heuristics.conversations.read_turn import SaidBefore
from autokb.text.words import content_words

RULES = ReplyRules(max_words=12, negative_words=("impossible",), refusal="Only kettles here.")


def solution(name: str, *steps: str) -> Solution:
    evidence = tuple(Evidence("kettle.md", n, n + len(step), step) for n, step in enumerate(steps))
    return Solution(name, "i1", "\n".join(steps), steps, {}, evidence)


def answer(*solutions: Solution, **given: object) -> Answer:
    match = Matched(Issue("i1", "It does not boil", None, {}, ()), Match.EXACT, 0.9, solutions)
    return Answer(**{  # type: ignore[arg-type]
        "query": "q", "attributes": {}, "outcome": "answered", "question": None, "matches": (match,), "passages": (),
        "documents": (Hit("kettle.md", 0.9),), "shown": solutions, **given,
    })  # fmt: skip


def offered(
    *solutions: Solution, tried: tuple[str, ...] = (), said: str = "", **given: object
) -> tuple[Suggestion, ...]:
    return suggestions_from(
        answer(*solutions, **given), RULES, RULES.refusal, tried, said=SaidBefore(content_words(said))
    )


LONG = "Descale " + "slowly " * 150 + "today."


def test_a_few_steps_are_whole_and_of_what_is_too_long_the_first_steps_are_told() -> None:
    steps = ("Press the **lid** until it clicks", "Turn the dial.", "Wait for " + "very " * 9)
    (one,) = offered(solution("s1", *steps))
    assert one.text == f"Press the lid until it clicks. Turn the dial. {' '.join(steps[2].split())}."
    assert [e.quote for e in one.evidence] == list(steps) and one.steps == ()
    assert (one.solution_id, one.source) == ("s1", "solution")
    (one,) = offered(solution("s1", *steps[:2], LONG))
    assert one.text == "Press the lid until it clicks. Turn the dial."
    assert one.steps == (*steps[:2], LONG) and count_words(one.text) < RULES.max_words


def test_a_procedure_that_goes_on_says_so() -> None:
    text = f"It does not boil\n1. Press the lid.\n2. Turn the dial.\n3. {LONG}"
    (one,) = offered(by_hand(text, "Press the lid.", "Turn the dial.", LONG))
    assert one.text == (
        "Press the lid. Turn the dial. Then tell me how far you got, and I will send you the next steps."
    )


def test_a_step_that_is_too_long_gives_its_first_sentences_never_half_of_one() -> None:
    (one,) = offered(solution("s1", f"Descale it. Use one sachet in a litre of water. {LONG}"))
    assert one.text == "Descale it. Use one sachet in a litre of water."
    assert not offered(solution("s2", LONG))


SPEC = DomainSpec(
    "kettles",
    "",
    {
        "size": Attribute("size", "closed", ("Small", "Large"), labels={"Small": "a small kettle"}),
        "place": Attribute("place", "closed", ("Home", "Office")),
    },
)


def test_help_for_some_names_them_unless_the_customer_said_to_be_one_of_them() -> None:
    fixed = replace(solution("s1", "Turn the dial."), attributes={"size": frozenset({"Small"})})
    titled = replace(fixed, text="Slow kettles: Small\nTurn the dial.")
    for given, text in ((fixed, "A small kettle: Turn the dial."), (titled, "Small: Turn the dial.")):
        (one,) = suggestions_from(answer(given), RULES, "", (), SPEC)
        assert one.text == text
    (one,) = suggestions_from(answer(titled, attributes={"size": frozenset({"Small"})}), RULES, "", (), SPEC)
    assert one.text == "Turn the dial."


def test_above_an_open_question_help_names_whom_it_is_for() -> None:
    fixed = {"place": frozenset({"Home"}), "size": frozenset({"Small"})}
    asked = Clarification("size", ("Small", "Large"), "Which size is it?")
    found = suggestions_from(
        answer(replace(solution("s1", "Turn the dial."), attributes=fixed), outcome="asks", question=asked),
        RULES, "", (), SPEC,
    )  # fmt: skip
    assert [one.text for one in found] == ["Which size is it?", "A small kettle: Turn the dial."]


def test_what_a_document_begins_with_stands_behind_the_remedy_unless_a_fact_is_asked_for() -> None:
    text = "Kettles may be slow."
    first = replace(solution("s1", text), text=f"Slow\n{text}")
    remedy = replace(solution("s2", "Press the lid."), evidence=(Evidence("kettle.md", 40, 54, "Press the lid."),))
    assert [one.solution_id for one in offered(first, remedy, query="it is slow")] == ["s2", "s1"]
    assert [one.solution_id for one in offered(first, remedy, query="is a kettle slow?")] == ["s1", "s2"]


def test_a_reply_speaks_of_nothing_that_the_customer_cannot_see() -> None:
    assert not offered(solution("s1", "Start pairing mode as described above."))
    assert not offered(solution("s2", "This code exists on small kettles only."))
    (one,) = offered(solution("s3", "Turn the dial.", "It clicks twice.", "Repeat the steps above."))
    assert one.text == "Turn the dial. It clicks twice."


def test_a_word_that_no_reply_may_have_ends_it() -> None:
    (one,) = offered(solution("s1", "Turn the dial.", "It is impossible to go on."))
    assert one.text == "Turn the dial."
    assert not offered(solution("s2", "That is impossible."))


def test_three_suggestions_are_three_helps() -> None:
    found = offered(
        solution("s1", "Press the lid until it clicks."),
        solution("s2", "Press the lid down until it clicks."),
        solution("s3", "Descale the heating plate."),
        solution("s4", "Plug it into another socket."),
        solution("s5", "Reset the thermostat by its red pin."),
    )
    assert [one.solution_id for one in found] == ["s1", "s3", "s4"]


def test_help_for_some_alone_says_for_whom_unless_the_customer_did() -> None:
    help_ = replace(solution("s1", "Turn the dial.", "Wait."), text="Slow: On small kettles\nTurn the dial.\nWait.")
    (one,) = offered(help_)
    assert one.text == "On small kettles: Turn the dial. Wait."
    small = frozenset({"small"})
    (one,) = offered(replace(help_, attributes={"size": small}), attributes={"size": small})
    assert one.text == "Turn the dial. Wait."


def test_a_warning_that_needs_its_heading_is_sent_with_it_and_never_left_out() -> None:
    warning = replace(
        solution("s1", "Call it for smoke.", "Call it for a flame " + "of any size " * 6),
        text="Boiling: Call the fire brigade\nCall it for smoke.",
    )
    assert not offered(warning), "it speaks of what the customer cannot see"
    (one,) = offered(warning, urgent=frozenset({"s1"}))
    assert one.text == "Call the fire brigade. Call it for smoke."
    assert [e.quote for e in one.evidence] == ["Call it for smoke."] and one.steps == warning.steps
    (short,) = offered(replace(warning, steps=warning.steps[1:]), urgent=frozenset({"s1"}))
    assert short.text == "Call the fire brigade." and short.evidence


@pytest.mark.parametrize(
    ("chance", "confidence", "order"),
    [(0.9, 0.4, ["t1", "s1", "t2"]), (0.6, 0.7, ["s1", "t1", "t2"]), (None, 0.0, ["s1", "t1", "t2"])],
    ids=["likelier", "less-likely", "not-known"],
)
def test_a_past_ticket_leads_where_it_is_likelier_to_be_right(
    chance: float | None, confidence: float, order: list[str]
) -> None:
    tickets = [
        Suggestion("Descale the plate.", "ticket", solution_id="t1", chance=chance),
        Suggestion("Plug it into another socket.", "ticket", solution_id="t2", chance=chance),
    ]
    known = answer(solution("s1", "Turn the dial."), confidence=confidence)
    found = suggestions_from(known, RULES, RULES.refusal, others=tickets)
    assert [one.solution_id for one in found] == order


def test_what_the_agent_asked_already_is_not_asked_again() -> None:
    back = Clarification("model", ("A", "B"), "Which model of kettle is it: A, B, or something else?")
    (one,) = suggestions_from(
        answer(solution("s1", "Turn the dial."), outcome="asks", question=back),
        RULES, RULES.refusal, asked=("Which model of kettle do you have?",),
    )  # fmt: skip
    assert one.solution_id == "s1"


def test_what_the_customer_has_tried_is_not_offered_again() -> None:
    tried = ("Please press the lid until it clicks, then turn it on.",)
    found = offered(solution("s1", "Press the lid until it clicks."), solution("s2", "Descale the plate."), tried=tried)
    assert [one.solution_id for one in found] == ["s2"]


def test_advice_that_the_agent_gave_in_fewer_words_was_tried_too() -> None:
    tried = ("Run the programme CLEAN with vinegar.", "ok then")
    help_ = solution("s1", "Pour vinegar into the tank, run the programme CLEAN and rinse twice.")
    found = offered(help_, solution("s2", "Press the lid until it clicks."), tried=tried)
    assert [one.solution_id for one in found] == ["s2"]


def test_a_question_back_comes_first_and_has_no_evidence() -> None:
    asked = Clarification("model", ("A", "B"), "Which model is it: A, B, or something else?")
    first, second = offered(solution("s1", "Turn the dial."), outcome="asks", question=asked)
    assert (first.text, first.source, first.evidence, first.solution_id) == (asked.text, "question", (), None)
    assert second.solution_id == "s1"


def test_help_goes_on_behind_what_was_said_before() -> None:
    steps = ("Press the small lid until it clicks.", "Descale the plate.", "Plug it into another socket.")
    (one,) = offered(solution("s1", *steps), said="Did you press the small lid down until it clicks?")
    assert [e.quote for e in one.evidence] == list(steps[1:])
    assert (one.text, one.steps) == ("Descale the plate. Plug it into another socket.", steps)


def test_beside_a_warning_that_was_called_for_stands_only_what_its_document_says() -> None:
    warning, tip = solution("s1", "Unplug it at once."), solution("s2", "Turn the dial.")
    other = replace(tip, id="s3", evidence=(Evidence("tea.md", 0, 14, "Turn the dial."),), steps=("Warm the cup.",))
    given = {"urgent": frozenset({"s1"})}
    assert [one.solution_id for one in offered(warning, tip, other, **given)] == ["s1", "s2", "s3"]
    assert [one.solution_id for one in offered(warning, tip, other, called=True, **given)] == ["s1", "s2"]


def test_outside_of_what_is_known_there_is_the_refusal_alone() -> None:
    (one,) = suggestions_from(answer(outcome="abstains", matches=()), RULES, RULES.refusal)
    assert (one.text, one.source) == ("Only kettles here.", "refusal")


def by_hand(text: str, *steps: str, **given: object) -> Solution:
    return replace(Solution("s1", "i1", text, steps, {}, ()), **given)  # type: ignore[arg-type]


def test_what_a_person_wrote_is_suggested_like_any_other_and_cites_nothing() -> None:
    text = "It does not boil\n1. Press the lid.\n2. Turn the dial.\n3. Wait for two minutes, then press the dial again."
    own = by_hand(text, "Press the lid.", "Turn the dial.", text.rpartition("3. ")[2])
    found = offered(own, solution("s2", "Descale the heating plate."))
    assert [one.text for one in found] == [
        f"Press the lid. Turn the dial. {own.steps[2]}",
        "Descale the heating plate.",
    ]
    first = found[0]
    assert (first.source, first.title, first.evidence) == ("solution", "It does not boil", ()) and first.is_by_hand
    assert first.as_json()["evidence"] == [] and first.steps == ()
    assert offered(own, said="i have pressed the dial again and waited two minutes")[0].text == first.text


def test_a_numbered_text_of_a_person_is_a_procedure_and_bullets_are_things_to_try() -> None:
    steps = (f"Press {LONG}", "Mind the red limescale button.")
    numbered = by_hand(f"Slow\n1. {steps[0]}\n2. {steps[1]}", *steps)
    bullets = by_hand(f"Slow\n- {steps[0]}\n- {steps[1]}", *steps)
    assert not offered(numbered, query="limescale"), "the second step of a procedure is none by itself"
    assert [one.text for one in offered(bullets, query="limescale")] == [steps[1]]


def test_an_edited_solution_is_suggested_with_the_steps_that_were_added() -> None:
    built = solution("s1", "Press the lid.")
    edited = replace(built, text="1. Press the lid.\n2. Turn the dial.", steps=("Press the lid.", "Turn the dial."))
    (one,) = offered(edited)
    assert (one.text, one.title, one.evidence) == ("Press the lid. Turn the dial.", "", built.evidence)
    assert not one.is_by_hand


def test_beside_a_warning_that_was_called_for_no_text_by_hand_is_suggested_but_the_warning_itself() -> None:
    own, warning = by_hand("Call the fire brigade."), solution("s2", "Leave the house.")
    own = replace(own, steps=("Call the fire brigade.",))
    assert [one.solution_id for one in offered(own, warning, called=True, urgent=frozenset({"s2"}))] == ["s2"]
    assert [one.solution_id for one in offered(own, warning, called=True, urgent=frozenset({"s1"}))] == ["s1"]
