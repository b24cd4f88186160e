"""Whether English text of a manual instructs its reader, asks, names a task, or only points elsewhere."""

from __future__ import annotations

import re
from functools import lru_cache

from autokb.text.plain_text import plain_text

IMPERATIVE_VERBS = frozenset(
    """
    accept activate add adjust agree aim align allow apply arrange ask assign attach avoid back backup be begin bring
    browse brush bypass calibrate call cancel center change charge check choose clean clear click close collapse
    collect combine come compare complete compress configure confirm connect consider contact continue control convert
    cool copy correct cover create customize customise cut deactivate decide decline define delete deselect detach
    determine dial disable disconnect discard dismiss dismount do double-click double-tap download drag drain draw
    drink drop dry eat edit eject elevate empty enable encrypt encourage end ensure enter erase establish examine
    exclude exercise exit expand explain export expose extend extract fill filter find finish fit fix flip fold follow
    format forward gargle gather get give go grant group handle hang have hide highlight hold hover identify ignore
    import improve include increase inform inhale inject input insert inspect install invite join keep launch lay
    leave let lie lift limit link listen load locate lock log long-press look loosen lower make mark massage match
    measure merge minimize mix modify monitor mount mouse move mute navigate obtain offer open organize pair paste
    pause perform pick pinch place play plug position pour practice prepare press prevent print proceed protect
    provide pull push put quit raise re-enter reboot receive recharge reconnect record reduce refresh register
    reinstall relax release reload remove rename repair repeat replace reply reposition request reset resize restart
    restore resume retry return reverse review revoke rest right-click rinse roll rotate rub run save scan schedule
    scroll search seal seek select send separate set shake share shorten show shut sign sit skip slide sleep soak sort
    speak specify spray squeeze stand start stay stop store stretch submit subscribe swap swipe switch sync
    synchronize take talk tap tell test tick tighten toggle touch transfer treat trim try turn twist type unblock
    uncheck undo unfold unhide uninstall unlock unmute unpair unplug unpin unscrew unselect unsubscribe unzip untick
    update upgrade upload use verify wait wake walk warm wash watch wear weigh wipe wrap write zip zoom
    """.split()
)
_BEFORE_IMPERATIVE = re.compile(
    r"(?:then|next|first|second|third|now|finally|lastly|afterwards?|please|simply|just|also|always|never|"
    r"optionally|again|instead|alternatively|otherwise|carefully|gently|slowly|quickly|briefly|and|or|but|so|"
    r"do not|don't|don’t|note|tip|important|warning|caution|step \d{1,2})\b[\s,:.–-]*",
    re.IGNORECASE,
)
_LEADING_CLAUSE = re.compile(
    r"(?:if|when|whenever|once|after|before|while|until|to|in|on|from|for|under|at|with|within|as|using|by|unless|because|"
    r"since|depending)\b[^,;:]{0,160}[,:]\s*(.*)",
    re.IGNORECASE | re.DOTALL,
)
_ADVICE = re.compile(
    r"\byou (?:can|could|should|must|need to|will need to|have to|(?:may|might) (?:want|need|have to|try|wish))\b"
    r"|\b(?:make|be) sure\b|\bit is (?:best|important|recommended|advisable)\b|"
    r"\b(?:should|must|needs? to) be (?!able)\w+(?:ed|n|t)\b|\btry (?:to|\w+ing)\b",
    re.IGNORECASE,
)
_SEE_SOMEBODY = re.compile(r"see (?:a|an|your) \w", re.IGNORECASE)
_WORD = re.compile(r"[^\W\d_]+(?:[-'’][^\W\d_]+)*")
_BEHIND_MARK = re.compile(r"(?:[:>–—]|\s-)\s+(?=[A-Z])")
_NAVIGATION = re.compile(
    r"(?:next|previous|prev|back to|home\b|contents|table of contents|see also|related|read more|"
    r"share (?:this|on)|return to (?:the )?top|print this|top of|to the top|skip to|copyright|©|"
    r"all rights|last (?:updated|modified)|edit this|was this)",
    re.IGNORECASE,
)
_NO_SOLUTION_HEADING = re.compile(
    r"(?:(?:related|other|further|similar|more|additional|useful|external|popular|"
    r"recommended)\s+(?:articles?|topics?|information|links?|reading|resources?|pages?|help|questions)|see also|"
    r"table of contents|contents|on this page|in this (?:article|section)|references?|bibliography|sources?|navigation|"
    r"next steps?|what'?s next|(?:where to )?get(?:ting)? (?:more )?help|(?:still )?need (?:more )?help|"
    r"share this|acknowledge?ments?|credits|copyright|legal|trademarks?|glossary|index|changelog|release notes)\W*$",
    re.IGNORECASE,
)
_LINK = re.compile(r"\[([^\[\]]{0,300})\]\([^()\n]{0,500}\)")
_GENERIC_WORDS = frozenset(
    """
    a an the this these those following follow follows below steps step instructions do does to for in on of and or as
    is are be it you your can could may might will need should must have here how there some one several ways way
    options option please then now next first perform complete use using procedure method methods either any try these
    things thing any each note notes example examples either also like with follow way two three four five six what
    when if
    """.split()
)

_QUESTION_START = re.compile(
    r"(?:how (?!to\b)|what|why|when|where|which|who|can|do|does|is|are|should|will)\b", re.IGNORECASE
)
_ANNOUNCEMENT = re.compile(
    r"\b(?:follow\w*|these|as follows)\b.*\b(?:steps?|instructions?|procedure|follows)\b", re.IGNORECASE
)
LINKED_SHARE = 0.7  # of the characters of a text that only points elsewhere
MOST_OPENINGS = 4  # adverbs and clauses before an imperative that are looked behind
FEWEST_MATTER_WORDS = 2  # of an introduction that names its matter
MOST_LABEL_WORDS = 6  # of an introduction that is a label, such as "On a Mac:"
_TASK_START = re.compile(r"(?:to|how|if|when|for|in order|steps|instructions)\b", re.IGNORECASE)
_GENERIC_HEADINGS = frozenset(
    """
    solution solutions resolution resolutions workaround workarounds answer answers fix fixes procedure tip tips
    summary overview introduction description details advice windows macos mac linux android ios iphone ipad task
    tasks case option more information cause symptoms treatment usage setup configuration
    """.split()
)


@lru_cache(maxsize=50_000)
def instructs(sentence: str) -> bool:
    """Return whether a plain sentence tells its reader what to do."""
    sentence = sentence.strip(" \t\n-–•*\"'“”‘’()[]")
    if _ADVICE.search(sentence):
        return True
    parts = [sentence, *_BEHIND_MARK.split(sentence)[1:]]
    return any(_is_imperative(part) for part in parts)


def _is_imperative(text: str) -> bool:
    """Return whether a text begins with an imperative, adverbs and clauses in front of it aside."""
    for _ in range(MOST_OPENINGS):
        if adverb := _BEFORE_IMPERATIVE.match(text):
            text = text[adverb.end() :]
        elif clause := _LEADING_CLAUSE.match(text):
            text = clause.group(1)
        else:
            break
    word = _WORD.match(text.lstrip(" \"'“‘(["))
    if word is None:
        return False
    return word.group().casefold() in IMPERATIVE_VERBS or bool(_SEE_SOMEBODY.match(text))


def is_navigation(markdown: str) -> bool:
    """Return whether a list item or paragraph is only a link or a word of navigation."""
    plain = plain_text(markdown, images=False)
    if not plain or (_NAVIGATION.match(plain) and not instructs(plain)):
        return True
    linked = sum(len(label) for label in _LINK.findall(markdown))
    return linked >= LINKED_SHARE * len(plain) and not instructs(plain_text(_LINK.sub("", markdown), images=False))


def heads_no_solution(heading: str) -> bool:
    """Return whether a heading is one of links, contents or legal words and not of help."""
    return _NO_SOLUTION_HEADING.match(heading.strip()) is not None


def names_matter(introduction: str) -> bool:
    """Return whether an introduction names its matter: ``To remove an account:`` does, ``Do this:`` does not."""
    words = (word.casefold() for word in _WORD.findall(introduction))
    return sum(word not in _GENERIC_WORDS for word in words) >= FEWEST_MATTER_WORDS


def can_be_title(introduction: str) -> bool:
    """Return whether an introduction can be a title: it names its matter as a task, a case or a short label."""
    if not names_matter(introduction):
        return False
    is_label = len(introduction.split()) <= MOST_LABEL_WORDS
    return is_label or _TASK_START.match(introduction) is not None or instructs(introduction)


def is_generic(heading: str) -> bool:
    """Return whether a heading alone names no matter: ``Solution``, ``Steps``, ``Method 2``."""
    words = {word.casefold() for word in _WORD.findall(heading)}
    return words <= _GENERIC_WORDS | _GENERIC_HEADINGS


def is_question(heading: str) -> bool:
    """Return whether a heading is a question and not the name of a task."""
    return heading.rstrip().endswith(("?", "？")) or _QUESTION_START.match(heading.strip()) is not None


def announces_steps(sentence: str) -> bool:
    """Return whether a sentence without a colon announces the steps after it."""
    return _ANNOUNCEMENT.search(sentence) is not None
