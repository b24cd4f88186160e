"""Which language a question is in, where it is another one than that of the documents."""

from __future__ import annotations

from collections.abc import Container, Mapping
from functools import lru_cache
from typing import Any

from autokb.text.stemming import stem
from autokb.text.words import split_words, stop_words

# Languages that can be told apart, by their codes (ISO 639-1), as a sentence names them. Those of the multilingual
# encoder are among them; the others are here so that a question in Swedish is not taken for one in German.
LANGUAGE_NAMES: Mapping[str, str] = {
    "ar": "Arabic",
    "bg": "Bulgarian",
    "cs": "Czech",
    "da": "Danish",
    "de": "German",
    "el": "Greek",
    "en": "English",
    "es": "Spanish",
    "fa": "Persian",
    "fi": "Finnish",
    "fr": "French",
    "he": "Hebrew",
    "hi": "Hindi",
    "hr": "Croatian",
    "hu": "Hungarian",
    "id": "Indonesian",
    "it": "Italian",
    "ja": "Japanese",
    "ko": "Korean",
    "nl": "Dutch",
    "no": "Norwegian",
    "pl": "Polish",
    "pt": "Portuguese",
    "ro": "Romanian",
    "ru": "Russian",
    "sk": "Slovak",
    "sv": "Swedish",
    "th": "Thai",
    "tr": "Turkish",
    "uk": "Ukrainian",
    "vi": "Vietnamese",
    "zh": "Chinese",
}
READ_AT_MOST = 2_000  # characters of a question; its language is plain long before
KNOWN_SHARE = 0.5  # of the words; from here on a question is in the documents' language, and no detector is loaded
ODDS = 20.0  # by which another language must be likelier than that of the documents, in which most questions are asked


def find_other_language(text: str, language: str, vocabulary: Container[str]) -> str | None:
    """Return the code of the language that a question is in; None where it is in that of the documents, or unclear.

    ``language`` is what the domain says of the documents, ``vocabulary`` are their stems. Most words of a question in
    their language are among these or are its grammar, also where the domain names the wrong language.
    """
    text = text[:READ_AT_MOST]
    if language not in LANGUAGE_NAMES or not _is_unfamiliar(text, language, vocabulary):
        return None
    likely = dict(_detector().rank(text))
    best = max(likely, key=likely.__getitem__)
    return best if best != language and likely[best] >= ODDS * likely[language] else None


def load_detector() -> None:
    """Load what the first question that may be in another language would wait for."""
    _detector()


def _is_unfamiliar(text: str, language: str, vocabulary: Container[str]) -> bool:
    """Return whether a text has words and most of them are neither grammar of the language nor in the vocabulary."""
    words = [word for word in split_words(text).folded if word[0].isalpha()]
    grammar = stop_words(language)
    known = sum(word in grammar or stem(word, language) in vocabulary for word in words)
    return known < KNOWN_SHARE * len(words)


@lru_cache(maxsize=1)
def _detector() -> Any:
    """Return py3langid's classifier (1 to 4 letters, 97 languages) for these languages, which takes 0.6 s to load."""
    from py3langid.langid import MODEL_FILE, LanguageIdentifier

    detector = LanguageIdentifier.from_model_file(MODEL_FILE, norm_probs=True)
    detector.set_languages(sorted(LANGUAGE_NAMES))
    return detector
