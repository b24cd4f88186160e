"""Masking finds what is private, leaves what only resembles it, and puts everything back."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from autokb.text.masking import find_private, mask

PRIVATE = {
    "mail me at ann.lee+x@mail.example.co.uk please": [("email", "ann.lee+x@mail.example.co.uk")],
    "<bob@example.com>": [("email", "bob@example.com")],
    "call +44 20 7946 0958 today": [("phone", "+44 20 7946 0958")],
    "call (555) 123-4567.": [("phone", "(555) 123-4567")],
    "Tel: 030 1234567": [("phone", "030 1234567")],
    "card 4111 1111 1111 1111 was charged": [("card", "4111 1111 1111 1111")],
    "3782-822463-10005": [("card", "3782-822463-10005")],
    "Authorization: Bearer abc123DEF456ghi789": [("secret", "abc123DEF456ghi789")],
    "key AKIAIOSFODNN7EXAMPLE in the log": [("secret", "AKIAIOSFODNN7EXAMPLE")],
    "token eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.c2lnbmF0dXJl": [
        ("secret", "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.c2lnbmF0dXJl")
    ],
    "password: hunter2!": [("secret", "hunter2!")],
    'api_key="9f8e7d6c5b4a39281706"': [("secret", "9f8e7d6c5b4a39281706")],
    "it is q7Rk2ZpX9vLm4TnB8wYc3HsD6fGj1KaE5u": [("secret", "q7Rk2ZpX9vLm4TnB8wYc3HsD6fGj1KaE5u")],
}


@pytest.mark.parametrize("text", PRIVATE)
def test_private_data_is_found(text: str) -> None:
    assert [(kind, text[a:b]) for a, b, kind in find_private(text)] == PRIVATE[text]


@pytest.mark.parametrize(
    "text",
    [
        "SDK 3.2.0.GA (03/12/14 09:10 fbdc96f) on 10.0.14393.0",
        "Windows Phone 10.0.15063, iOS 9.3.1, 4.10.0",
        "commit 4f2a9c1d8e7b6a5f4e3d2c1b0a9f8e7d6c5b4a39",
        "build a1b2c3d4-e5f6-7890-abcd-ef1234567890-iPhone",
        "see TIMOB-23350 and AC-6231",
        "    at org.appcelerator.titanium.TiApplication.onCreate(TiApplication.java:412)",
        "4   Core  0x0000000107ecc8d3 _ZN3JSC16JSCallbackObjectINS_20JSDestructibleObjectEE4callEPNS_9ExecStateE + 515",
        "2013-04-12T09:15:33.000+0000 and 04-12 09:15:33.123 (12345)",
        "git clone git@github.com:appcelerator/titanium_mobile.git, icon@2x.png",
        "password: Ti.UI.createTextField, password: null, passwordMask: true",
        "part 1234 5678 9012 3456 fails the check digit",
        "Content-Type: multipart; boundary=---0Yp7DHdqG1dPhejcf_POatQ2DMYKnOxDBeC",
        "Java_org_appcelerator_kroll_runtime_v8_V8Object_nativeFireEvent",
        "frame {{0, 0}, {320, 480}}; 1024-768-1000; 192.168.100.200:8080",
    ],
)
def test_what_only_resembles_private_data_stays(text: str) -> None:
    assert [text[a:b] for a, b, _ in find_private(text)] == []


def test_one_thing_has_one_placeholder_in_all_texts_of_a_request() -> None:
    masking = mask(["ann@example.com wrote to bob@example.com", "bob@example.com: +44 20 7946 0958"])
    assert masking.texts == ("<email-1> wrote to <email-2>", "<email-2>: <phone-1>")
    assert masking.restore("Ask <email-2>, not <email-1> or <email-3>.") == (
        "Ask bob@example.com, not ann@example.com or <email-3>."
    )


def test_what_is_published_is_left_as_it_is() -> None:
    manual = "Write to help@buds.example.com, for example from you@example.com."
    found = mask([f"I am x-you@example.com. {manual}"], published=[manual])
    assert found.texts == (f"I am <email-1>. {manual}",)
    assert found.restore(found.texts[0]) == f"I am x-you@example.com. {manual}"


def test_a_placeholder_that_a_text_holds_is_given_to_nothing_else() -> None:
    masking = mask(["The dump says <email-1>. Write to ann@example.com."])
    assert masking.texts == ("The dump says <email-1>. Write to <email-2>.",)
    assert masking.restore(masking.texts[0]) == "The dump says <email-1>. Write to ann@example.com."


PARTS = st.sampled_from([*PRIVATE, "<email-1>", "<secret-2>", " ", "\n", "@", "ä", "&lt;", "4111", "+49"])


@given(st.lists(st.lists(PARTS, max_size=6).map(" ".join), max_size=3))
def test_restoring_undoes_masking(texts: list[str]) -> None:
    masking = mask(texts)
    assert [masking.restore(text) for text in masking.texts] == texts


@pytest.mark.parametrize(
    "run", ["1 ", "a", "-", "a.b", "-a", "pwd:&", "pwd:/", "token=", "a@", "a@a.", "4111 ", "+49 "]
)
def test_a_long_run_of_anything_is_read_in_one_pass(run: str) -> None:
    """A pattern that begins anew at each character would take many minutes here, not a tenth of a second."""
    assert find_private(run * (250_000 // len(run))) == []


def test_a_list_of_thousands_of_addresses_is_masked_and_restored_in_one_pass() -> None:
    text = "\n".join(f"a{n}@example.com" for n in range(10_000))
    masking = mask([text])
    assert masking.texts[0].endswith("<email-9999>\n<email-10000>") and masking.restore(masking.texts[0]) == text


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("pay from DE89 3704 0044 0532 0130 00 now", [("iban", "DE89 3704 0044 0532 0130 00")]),
        ("pay from GB82WEST12345698765432", [("iban", "GB82WEST12345698765432")]),
        ("order number LX-4711-22 is late", [("number", "LX-4711-22")]),
        ("Bestellnummer: 4711220", [("number", "4711220")]),
        ("DE89 3704 0044 0532 0130 01 fails its check", []),
        ("order 12 pieces in order to test; case numbers matter", []),
    ],
)
def test_accounts_and_numbers_of_orders_are_private(text: str, found: list[tuple[str, str]]) -> None:
    assert [(kind, text[a:b]) for a, b, kind in find_private(text)] == found
