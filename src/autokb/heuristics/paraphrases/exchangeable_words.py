"""English words of support that may stand for each other in most sentences."""

from __future__ import annotations

from itertools import permutations


def _pairs(text: str) -> tuple[tuple[str, str], ...]:
    """Return every word of a line with each other word of the line."""
    lines = ([word.strip() for word in line.split(",")] for line in text.strip().splitlines())
    return tuple(pair for words in lines for pair in permutations(words, 2))


CONTRACTIONS: tuple[tuple[str, str], ...] = (
    ("doesn't", "does not"),
    ("don't", "do not"),
    ("didn't", "did not"),
    ("won't", "will not"),
    ("can't", "cannot"),
    ("isn't", "is not"),
    ("aren't", "are not"),
    ("wasn't", "was not"),
    ("it's", "it is"),
    ("I'm", "I am"),
    ("I've", "I have"),
)
EXCHANGEABLE = _pairs(
    """
    cannot, is unable to
    can't, is unable to
    does not work, is out of order
    does not, fails to
    doesn't, fails to
    do not, fail to
    don't, fail to
    stops working, gives up
    stopped working, gave up
    issue, problem, trouble
    issues, problems, troubles
    fault, defect
    error, failure
    phone, mobile phone
    laptop, notebook
    computer, PC
    sound, audio
    picture, image
    message, note
    messages, notes
    e-mail, mail, email
    folder, directory
    folders, directories
    button, key
    screen, display
    window, dialog
    settings, options, preferences
    account, profile
    password, passphrase
    program, application
    app, application
    battery, accumulator
    cable, cord
    charger, power adapter
    update, upgrade
    delete, remove, erase
    add, insert
    change, alter, modify
    choose, select, pick
    open, launch
    start, begin
    stop working, give up
    close, shut
    turn on, switch on
    turn off, switch off
    turn, rotate
    connect, link
    connected, linked
    connection, link
    disconnect, separate
    pair, couple
    find, locate
    show, display
    shows, displays
    send, transmit
    receive, get
    save, store
    fix, repair
    broken, damaged
    check, verify
    clean, wipe
    help, assist
    use, employ
    using, by means of
    make, create
    set up, configure
    install, put in
    restart, reboot
    slow, sluggish
    slowly, at a crawl
    quickly, fast
    quiet, silent
    loud, noisy
    wrong, incorrect
    missing, gone
    empty, blank
    often, frequently
    sometimes, now and then
    again, once more
    suddenly, all of a sudden
    immediately, at once
    pain, ache
    doctor, physician
    medicine, medication
    tired, exhausted
    child, kid
    swollen, puffed up
    fever, high temperature
    drink, take in
    rest, take it easy
    avoid, keep away from
    several, a number of
    because, since
    need, require
    want, would like
    keep, go on
    happen, occur
    happens, occurs
    also, as well
    """
)
