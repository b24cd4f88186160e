"""Systems over cases: each figure by hand, what a case does not measure, and what refusals settle."""

from __future__ import annotations

from autokb.answering.suggest import Suggestion
from autokb.core.nouns import Evidence, Message
from autokb.core.spending import Spending, Tokens
from autokb.core.tickets import TicketEvidence
from autokb.plugins.lab.evaluation.suggestions.cases import Case
from autokb.plugins.lab.evaluation.suggestions.experiment import (
    Cited,
    Measures,
    Offer,
    ask_systems,
    case_figures,
    differences_to,
    measure_offers,
    source_of,
)
from autokb.plugins.lab.evaluation.suggestions.judging import JudgedOffer, mechanical_verdict
from autokb.plugins.lab.evaluation.suggestions.text_metrics import InverseFrequencies
from autokb.stats.bootstrap import NOT_MEASURED

DOCUMENTS = {"rain.md": "Dry the rain sensor. Start the robot again.", "dock.md": "Clean the dock."}
TICKET = "The rain stops it.\nReplace the seal."


def texts_of(place: Cited) -> list[str]:
    return [DOCUMENTS.get(source_of(place), ""), "another comment", TICKET]


MEASURES = Measures(texts_of, InverseFrequencies(DOCUMENTS.values()))


def case(name: str, reply: str = "", *documents: str) -> Case:
    return Case(name, (Message("customer", f"question {name}"),), reply, documents)


def said(text: str, document: str = "", quote: str = "") -> Suggestion:
    start = DOCUMENTS[document].index(quote) if document else 0
    return Suggestion(text, "solution", (Evidence(document, start, start + len(quote), quote),) if document else ())


DRY = said("Dry the rain sensor.", "rain.md", "Dry the rain sensor.")
DOCK = said("Clean the dock twice.", "dock.md", "Clean the dock.")
HELLO = said("Hello there!")


def test_what_is_said_of_a_case_with_reply_and_documents() -> None:
    found = case_figures(case("1", "Dry the sensor.", "rain.md"), Offer((DOCK, DRY), False, 0.5), MEASURES)
    assert (found["answered"], found["coverage@1"], found["coverage@3"]) == (1, 1, 1)
    assert (found["document_right@1"], found["document_right@3"]) == (0, 1)
    assert found["consistency@1"] == 2 / 3  # clean, dock; not twice
    assert found["consistency@3"] == (2 / 3 + 1) / 2
    assert found["consistent_sentences@3"] == 0.5
    assert (found["quotes_verbatim"], found["words"], found["suggestions"], found["distinctness"]) == (1, 4, 2, 1)
    assert found["tfidf_similarity@1"] == 0 < found["tfidf_similarity@3"] < 1  # type: ignore[operator]
    assert found["rouge_l@3"] == 2 * 3 / (4 + 3)
    assert found["seconds"] == 0.5
    assert "refused" not in found and "requests" not in found


def test_only_what_a_case_measures_is_counted() -> None:
    found = case_figures(case("1", "Dry it."), Offer((HELLO,), False), MEASURES)
    assert "document_right@1" not in found and "exact_match" not in found
    assert (found["coverage@1"], found["consistency@1"], found["quotes_verbatim"]) == (0, None, None)


def test_a_system_that_offers_nothing_is_0_and_says_nothing_of_its_suggestions() -> None:
    refusal = Suggestion("I help with robots.", "refusal")
    found = case_figures(case("1", "Dry it.", "rain.md"), Offer((refusal,), True), MEASURES)
    assert (found["answered"], found["coverage@3"], found["document_right@3"], found["rouge_l@3"]) == (0, 0, 0, 0)
    assert found["rouge_l_answered@1"] is None and found["words"] is None and found["suggestions"] is None


def test_a_question_that_is_to_be_refused_measures_refusing() -> None:
    found = case_figures(case("out"), Offer((), True), MEASURES)
    assert found["refused"] == 1 and "answered" not in found
    assert case_figures(case("out"), Offer((DRY,), False), MEASURES)["refused"] == 0


def test_a_quote_that_does_not_stand_there_is_told() -> None:
    invented = Suggestion("Dry it.", "solution", (Evidence("rain.md", 0, 7, "Dry it."),))
    assert case_figures(case("1", "x"), Offer((invented,), False), MEASURES)["quotes_verbatim"] == 0


def test_a_ticket_is_cited_like_a_document() -> None:
    place = TicketEvidence("APP-1", "comments", 19, 36, "Replace the seal.")
    asked = case("1", "Replace its seal.", "APP-1")
    found = case_figures(asked, Offer((Suggestion("Replace the seal.", "ticket", (place,)),), False), MEASURES)
    assert (found["coverage@1"], found["document_right@1"], found["consistency@1"], found["quotes_verbatim"]) == (
        1,
    ) * 4
    moved = TicketEvidence("APP-1", "comments", 18, 36, "Replace the seal.")
    found = case_figures(asked, Offer((Suggestion("Replace it.", "ticket", (moved,)),), False), MEASURES)
    assert found["quotes_verbatim"] == 0


def test_what_marks_say_in_words_is_cited_too() -> None:
    measures = Measures(texts_of, MEASURES.weights, cited=lambda e: f"{e.quote} Windows")
    text = said("(Windows) Dry the rain sensor.", "rain.md", "Dry the rain sensor.")
    assert case_figures(case("1", "x"), Offer((text,), False), MEASURES)["consistency@1"] == 3 / 4
    assert case_figures(case("1", "x"), Offer((text,), False), measures)["consistency@1"] == 1


def test_what_never_cites_is_not_measured_by_its_citations() -> None:
    found = case_figures(case("1", "x", "rain.md"), Offer((HELLO,), False, cites=False), MEASURES)
    assert not {"coverage@1", "document_right@1"} & found.keys()


def test_short_answers_are_held_against_all_that_are_right() -> None:
    asked = Case("1", (Message("customer", "how high?"),), "31 m", (), ("31 m", "31 metres"))
    found = case_figures(asked, Offer((said("31 metres"),), False), MEASURES)
    assert (found["exact_match"], found["token_f1"]) == (1, 1)
    assert case_figures(asked, Offer((), True), MEASURES)["exact_match"] == 0


def test_requests_tokens_and_cost_where_they_are_recorded() -> None:
    spent = Spending(2, 1, Tokens(100, 20), None)
    found = case_figures(case("1", "x"), Offer((DRY,), False, spending=spent), MEASURES)
    assert (found["requests"], found["tokens"], found["cost"]) == (3, 120, None)


def test_refusals_settle_three_of_four_verdicts() -> None:
    assert mechanical_verdict(truth_refuses=True, refuses=True) == "correct"
    assert mechanical_verdict(truth_refuses=True, refuses=False) == "incorrect"
    assert mechanical_verdict(truth_refuses=False, refuses=True) == "unsure"
    assert mechanical_verdict(truth_refuses=False, refuses=False) == "not judged"


CASES = [case("a", "Dry it.", "rain.md"), case("b", "Clean it."), case("out"), case("c", "Start it.")]


def refuses_out(asked: Case) -> Offer:
    return Offer((DRY,), asked.refuses or asked.id == "c", 0.1)


def test_verdicts_of_the_judge_are_taken_only_where_refusals_settle_nothing() -> None:
    offers = ask_systems({"s": refuses_out}, CASES)
    judged = JudgedOffer({"a": "correct", "b": "incorrect", "out": "incorrect", "c": "correct"})
    figures = measure_offers(offers, CASES, MEASURES, {"s": judged})["s"]
    assert figures.verdicts == {"correct": 2, "incorrect": 1, "unsure": 1, "not judged": 0}
    rates = [figures.metrics[name].value for name in ("accuracy", "hallucination_rate", "missing_rate")]
    assert rates == [0.5, 0.25, 0.25]
    assert figures.per_query["accuracy"] == {"a": 1.0, "b": 0.0, "out": 1.0, "c": 0.0}


def test_a_case_that_the_judge_failed_at_is_in_no_rate() -> None:
    offers = ask_systems({"s": refuses_out}, CASES)
    figures = measure_offers(offers, CASES, MEASURES, {"s": JudgedOffer({"a": "correct"})})["s"]
    assert figures.verdicts["not judged"] == 1
    assert figures.metrics["accuracy"].value == 2 / 3


def test_without_any_verdict_refusals_are_no_accuracy() -> None:
    offers = ask_systems({"s": refuses_out}, CASES)
    figures = measure_offers(offers, CASES, MEASURES, {"s": JudgedOffer({})})["s"]
    assert figures.metrics["accuracy"] == NOT_MEASURED and "accuracy" not in figures.per_query
    assert "accuracy" not in measure_offers(offers, CASES, MEASURES)["s"].metrics


def test_a_case_that_a_system_cannot_be_asked_is_in_no_figure_and_no_difference() -> None:
    told: list[str] = []
    systems = {"all": refuses_out, "gold": lambda c: Offer((DRY,), False) if c.documents else None}
    offers = ask_systems(systems, CASES, told.append)
    assert told == ["all"] * 4 + ["gold"] * 4
    figures = measure_offers(offers, CASES, MEASURES)
    assert figures["gold"].per_query["answered"] == {"a": 1.0}
    assert figures["gold"].verdicts["not judged"] == 1
    (answered,) = [d for d in differences_to(figures, "all") if d.difference.metric == "answered"]
    assert (answered.cases, answered.difference.interval.value, answered.p_value) == (1, 0.0, None)


def test_differences_are_paired_with_interval_and_p_value() -> None:
    never = lambda _case: Offer((), True)  # noqa: E731 - a system in a line
    figures = measure_offers(ask_systems({"s": refuses_out, "never": never}, CASES), CASES, MEASURES)
    found = {d.difference.metric: d for d in differences_to(figures, "never")}
    answered = found["answered"].as_json()
    assert (answered["system"], answered["baseline"], answered["value"], answered["cases"]) == ("s", "never", 2 / 3, 3)
    assert answered["low"] <= 2 / 3 <= answered["high"]
    assert 0 < answered["p_value"] < 1
    assert "words" not in found  # the baseline has no suggestion to count the words of
