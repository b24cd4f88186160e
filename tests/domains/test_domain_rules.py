"""The rules' patterns catch what they are for and leave innocent steps alone."""

from __future__ import annotations

import pytest
import yaml

from autokb.core.domain import read_domain
from autokb.domains import domain_text
from autokb.heuristics.rules import find_breach

BROKEN = [
    ("headphones", "no-harsh-cleaning", "Wipe wax off with a cotton bud dipped in isopropyl alcohol."),
    ("headphones", "no-harsh-cleaning", "Rub the stain with a scouring pad."),
    ("headphones", "no-harsh-cleaning", "3. Clean it with bleach."),
    ("headphones", "no-manual", "See the user manual for details."),
    ("headphones", "no-manual", "Refer to your quick start guide."),
    ("headphones", "no-manual", "More is explained in the manual."),
    ("headphones", "no-service-centre", "Take the headphones to an authorised service center."),
    ("headphones", "no-service-centre", "Send it in for repair."),
    ("headphones", "no-service-centre", "Have the case replaced."),
    ("headphones", "no-service-centre", "Return the earphones to your retailer."),
    ("headphones", "no-support", "Contact Lumo support."),
    ("headphones", "no-support", "If this fails, get in touch with our customer care."),
    ("headphones", "no-support", "Call the helpline."),
    ("medical", "no-risky-procedures", "Burst the blister with a needle."),
    ("medical", "no-risky-procedures", "Make the child vomit."),
    ("medical", "no-diagnosis", "You definitely have strep throat."),
    ("medical", "no-diagnosis", "The diagnosis is bronchitis."),
    ("medical", "no-unproven-treatment", "Take homeopathic globules every hour."),
    ("medical", "no-unproven-treatment", "Put an onion in the sock overnight."),
    ("medical", "mind-allergies", "Take ibuprofen with food three times a day."),
    ("medical", "mind-allergies", "Give a spoon of honey at night."),
    ("thunderbird", "keep-profile-data", "Delete your profile folder and start again."),
    ("thunderbird", "keep-profile-data", "Click **Delete Files**."),
    ("thunderbird", "never-ask-for-passwords", "Send me your password."),
    ("thunderbird", "never-ask-for-passwords", "Post your account password in the forum."),
    ("thunderbird", "keep-security-software", "Disable your antivirus and other third party software."),
    ("thunderbird", "keep-security-software", "Turn off the firewall."),
    ("thunderbird", "keep-encryption", "Connection Security = None"),
    ("thunderbird", "keep-encryption", "Allow less secure apps in the account."),
    ("thunderbird", "keep-encryption", "Confirm Security Exception."),
    (
        "thunderbird",
        "keep-profile-data",
        "On the new computer, remove (or rename, for a backup) any Thunderbird folders in AppData.",
    ),
    (
        "thunderbird",
        "keep-security-software",
        "Turning both antivirus, VPN, proxy and firewall off helped many people.",
    ),
    ("thunderbird", "keep-security-software", "The firewall has to be switched off."),
    ("thunderbird", "keep-security-software", "Exit the virus scanner."),
    ("thunderbird", "keep-encryption", "Re-enabling outdated TLS versions helps."),
    ("thunderbird", "keep-encryption", "Re-enable TLS 1.0 and 1.1."),
    ("thunderbird", "keep-encryption", "Set security.tls.version.enable-deprecated to true."),
    ("thunderbird", "keep-encryption", "Two-factor authentication must be turned off."),
    ("thunderbird", "keep-encryption", "You can temporarily lower the bar for older servers."),
    ("thunderbird", "keep-encryption", "Remove yourself from the Advanced Protection program, then sign in."),
]

INNOCENT = [
    ("thunderbird", "Lower the volume with the lower bar of the window."),
    ("headphones", "Never use bleach or alcohol."),
    ("headphones", "Wipe the mesh with a dry, soft brush."),
    ("headphones", "Remove the entry and pair again."),
    ("headphones", "Start the manual pairing mode."),
    ("headphones", "See the manual pairing steps below."),
    ("headphones", "Replace the ear tip with the next larger size."),
    ("headphones", "Take the earbud out and put it back."),
    ("headphones", "Many phones do not support this codec."),
    ("headphones", "Use a socket that has support for headsets."),
    ("headphones", "Tap once to take a call."),
    ("headphones", "Open Settings, Sound, Troubleshoot."),
    ("headphones", "Take out the battery to be able to see the contacts."),
    ("medical", "Put nothing into the ear, no drops and no cotton buds."),
    ("medical", "Do not burst the blister."),
    ("medical", "Give no honey in the first year."),
    ("medical", "See a doctor if you have a fever for three days."),
    ("medical", "A painkiller such as ibuprofen may help; leave it out if you are allergic to it."),
    ("medical", "Drink a glass of water every two hours."),
    ("medical", "Use the reliever inhaler as your asthma plan says."),
    ("medical", "Stretch the back and neck gently."),
    ("thunderbird", "Do not delete your profile."),
    ("thunderbird", "Back up and then delete the old profile."),
    ("thunderbird", "Please be careful and never send us your secret key!"),
    ("thunderbird", "Enter your password and click Sign in."),
    ("thunderbird", "Choose Don't Delete Files."),
    ("thunderbird", "Disable the extension and restart."),
    ("thunderbird", "Connection security: SSL/TLS"),
    ("thunderbird", "Allow antivirus clients to quarantine messages."),
    ("thunderbird", "Do not turn off the antivirus program."),
    ("thunderbird", "Nothing changes, unless your mail server still uses very old keys for SSL/TLS."),
    ("thunderbird", "See https://example.org/kb/disable-ssl-and-turn-off-antivirus for more."),
    ("thunderbird", "Remove the file search.json.mozlz4 in the profile folder."),
]


@pytest.mark.parametrize(("domain", "rule", "step"), BROKEN)
def test_a_step_that_breaks_a_rule_is_caught_by_that_rule(domain, rule, step):
    rules = read_domain(yaml.safe_load(domain_text(domain))).rules
    assert rule in [r.id for r in rules if find_breach(r, step)]


@pytest.mark.parametrize(("domain", "step"), INNOCENT)
def test_an_innocent_step_breaks_nothing(domain, step):
    rules = read_domain(yaml.safe_load(domain_text(domain))).rules
    assert {r.id: found for r in rules if (found := find_breach(r, step))} == {}


def test_a_breach_is_found_inside_a_solution_of_several_steps():
    rules = {r.id: r for r in read_domain(yaml.safe_load(domain_text("headphones"))).rules}
    text = "1. Hold the mesh down.\n2. Never use water.\n3. Clean it with acetone.\n4. Let it dry."
    assert "acetone" in (find_breach(rules["no-harsh-cleaning"], text) or "")


@pytest.mark.parametrize("domain", ["headphones", "medical"])
def test_the_shipped_manuals_break_each_rule_somewhere_so_that_checking_shows(domain):
    from autokb.domains import examples_folder

    folder = examples_folder(domain)
    assert folder is not None
    plain = [p.read_text(encoding="utf-8") for p in (folder / "documents").iterdir() if p.suffix in (".md", ".html")]
    broken = {
        r.id
        for r in read_domain(yaml.safe_load(domain_text(domain))).rules
        if any(find_breach(r, line) for text in plain for line in text.replace("<", "\n<").splitlines())
    }
    # Harsh cleaning stands in the PDF and the pointer to the manual in a DOCX, which this test does not open.
    in_files = {"no-harsh-cleaning", "no-manual"} if domain == "headphones" else set()
    rules = {r.id for r in read_domain(yaml.safe_load(domain_text(domain))).rules}
    assert rules - in_files <= broken
