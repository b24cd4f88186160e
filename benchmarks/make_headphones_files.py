"""Make the DOCX and PDF manuals of the headphones domain from the text below; run by hand when the text changes."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

FOLDER = Path(__file__).resolve().parents[1] / "src" / "autokb" / "domains" / "headphones" / "documents"
MADE = datetime(2025, 1, 1, tzinfo=UTC)  # fixed, so that the files do not change with the day

FIRMWARE = """
# Updating the firmware
New firmware mends faults and comes through the Lumo app on a phone or tablet. The update takes about ten minutes.
## Before the update
1. Charge the earbuds or headphones to at least half.
2. Leave both earbuds in the open charging case during the update.
3. Keep the phone or tablet beside them and do not play music.
## On an iPhone or iPad
1. Open the Lumo app and tap Device, Firmware.
2. Tap Update and keep the app open until it says "done"; iOS stops updates of apps in the background.
3. If the update fails, allow Bluetooth for the Lumo app: Settings, Privacy & Security, Bluetooth.
4. Switch Low Power Mode off and try again.
## On Android
1. Open the Lumo app and tap Device, Firmware, Update.
2. If it says "update failed", open Settings, Apps, Lumo, Battery and choose Unrestricted.
3. Allow Nearby devices and Location for the Lumo app.
4. Clear the cache of the Lumo app under Storage and start the update again.
## From a Windows laptop or a Mac
Firmware cannot be installed from a computer.
1. Borrow a phone or tablet, install the Lumo app and update there.
2. Pair with the computer again afterwards, because an update may clear the list of devices.
## The update hangs
1. Wait twenty minutes: the bar stands still at 60 percent for a while.
2. Close the lid of the case for one minute, open it and start again.
3. Hold the power switch of Lumo Over for twelve seconds to restart it.
4. Write to our support team if the light stays purple.
"""

DROPS = """
# The connection drops or stutters
The Bluetooth connection breaks off for seconds, music stutters, or the headphones disconnect on their own.
## First steps on every device
1. Carry the phone on the side of the right earbud or in a front pocket; the body blocks the signal.
2. Stay within eight metres, without walls between.
3. Keep away from microwave ovens and from USB 3 hubs, which disturb the signal.
4. Charge: below ten percent the connection gets weak.
5. Forget the Lumo entry on the device and pair again.
## On an iPhone or iPad
1. Open Settings, General, Transfer or Reset, Reset Network Settings. Wi-Fi passwords must be entered again afterwards.
2. Switch off Wi-Fi Assist and use 5 GHz Wi-Fi where you can.
3. Update iOS or iPadOS.
## On Android
1. Open Settings, Apps, Lumo, Battery and choose Unrestricted, so that the phone does not put the connection to sleep.
2. Choose the SBC codec in the developer options if music stutters in crowded places.
3. Open Settings, System, Reset options, Reset Bluetooth & Wi-Fi.
## On Windows
1. Open Device Manager, Bluetooth, right-click the adapter, Properties, Power Management.
2. Clear "Allow the computer to turn off this device to save power".
3. Install the newest Bluetooth and Wi-Fi drivers of the laptop's maker.
4. Use the 5 GHz network, because 2.4 GHz shares the air with Bluetooth.
## On a Mac
1. Move USB hubs away from the MacBook's left side.
2. Open System Settings, Bluetooth, forget Lumo and pair again.
3. Switch off Handoff under General, AirDrop & Handoff if the sound jumps to an iPhone.
## The connection ends when the lid closes
1. On Windows, open Power Options, Choose what closing the lid does, and choose Do nothing.
2. On a MacBook, connect power and a screen, or it sleeps with the lid closed.
"""

APP = """
# The Lumo app
The app for phones and tablets sets the sound, the touch control and the connections, and installs firmware.
## The app does not find the earbuds or headphones
### On an iPhone or iPad
1. Pair the earbuds or headphones in Settings, Bluetooth first; the app finds paired ones only.
2. Open Settings, Privacy & Security, Bluetooth and allow the Lumo app.
3. Open Settings, Lumo and switch on Local Network.
4. Close the app in the app switcher and open it with the case open.
### On Android
1. Allow Nearby devices and Location for the Lumo app and switch Location on.
2. Switch off battery saving for the app.
3. Open Settings, Apps, Lumo, Storage and tap Clear cache.
4. Use the app from the Play Store, not one from a web page.
## There is no app for Windows and Mac
1. Set the sound once on a phone or tablet; the earbuds and headphones remember it on every device.
## Change what touch and buttons do
1. Open Controls in the app.
2. Choose left or right and what one, two and three taps do.
3. Switch on Touch lock if hair or a hat sets off commands.
## Touch does not react
1. Dry your fingers and the surface.
2. Take off gloves; touch needs bare skin.
3. Switch Touch lock off under Controls.
4. Put the earbud into the case for ten seconds.
## Equaliser
1. Open Sound, Equaliser and choose a shape, or draw one.
2. Tap Save on device, so that it also counts on a laptop.
## More
Further settings are explained in the user manual that came in the box.
"""

CLEANING = """
# Cleaning earbuds, earphones and headphones
Clean the parts that touch skin once a week; wax and sweat make the sound quiet and irritate the skin.
## Ear tips of earbuds and earphones
1. Pull the ear tips off.
2. Wash the ear tips alone with lukewarm water and a drop of mild hand soap.
3. Rinse them and let them dry for an hour before you put them on again.
## Mesh and sound openings
1. Hold the earbud with the mesh facing down.
2. Brush the mesh with a dry, soft toothbrush.
3. Use a piece of reusable putty to lift wax that sits deep.
4. Wipe stubborn wax off with a cotton bud dipped in isopropyl alcohol.
5. Wipe with a dry cloth.
## Charging case and contacts
1. Wipe the contacts with a dry cotton cloth.
2. Blow fluff out of the case; never put water into it.
## Ear cushions and headband of Lumo Over
1. Wipe cushions and headband with a cloth that is slightly damp with water.
2. Dry them with a second cloth.
3. Pull the cushions off every few months and shake out the dust.
## Heavy stains
1. Rub the stain with a scouring pad and glass cleaner.
2. Polish the surface afterwards.
## Cable and plug
1. Wipe the cable of Lumo Wire from the top to the plug with a damp cloth.
2. Dry it and let it hang for ten minutes.
"""

FIT = """
# Ear tips and fit
A good fit decides on bass, noise cancelling and whether the earbuds stay in while you run.
## Find the right ear tips
1. Begin with the middle size (M) on both sides.
2. Push the earbud in and turn it backwards a little until it sits firmly.
3. Shake your head. If it comes loose, take the next larger size.
4. If it presses or hurts after a while, take the next smaller size.
5. The two ears may need different sizes.
6. In the Lumo app, run Fit test.
## Earbuds fall out when you run
1. Put on the ear tips with the small wing that come with Lumo Buds.
2. Turn the earbud until the wing sits under the fold of the ear.
3. Dry ears and tips before you start.
## Ear tips come off
1. Push the tip over the rim until you feel it click.
2. Wash and dry the tip; grease makes it slip.
3. Take a new tip if the collar is torn.
## Earphones with cable (Lumo Wire)
1. Lead the cable over the ear and behind it; this keeps knocks of the cable out of the sound.
2. Use the clip to hold the cable on the shirt.
## Headphones press on the head or glasses
1. Pull both ear cups out by the same number of steps.
2. Stretch the headband over a stack of books for one night.
3. Move the arms of your glasses above the cushions.
4. Take a break every hour.
"""

CONTROLS = """
# Buttons, touch and lights at a glance
This sheet shows how to play, pause, skip and take calls, and what the lights mean.
## Lumo Buds: touch
1. Tap once to play or pause, or to take a call.
2. Tap twice for the next song.
3. Tap three times for the song before.
4. Touch and hold for two seconds for noise cancelling; during a ringing call this refuses it.
## Lumo Over: buttons
1. Press the middle button once to play or pause, twice to skip.
2. Press plus or minus for the volume.
3. Hold the middle button for two seconds for the voice assistant.
## Lumo Wire: remote on the cable
1. Press the middle button once to play, pause or take a call.
2. Press it twice to skip.
3. Press plus or minus for the volume.
## What the lights mean
- White, blinking: ready to pair.
- White, steady: connected.
- Red, steady: charging.
- Red, blinking: battery nearly empty.
- Green: fully charged.
- Purple: firmware is being installed.
## The voice assistant does not answer
### On an iPhone or iPad
1. Open Settings, Siri and switch on Allow Siri When Locked.
2. Hold the middle button of Lumo Over for two seconds and speak.
### On Android
1. Open the Assistant settings, Devices, and switch on the Lumo entry.
2. Allow the assistant on a locked screen.
"""

DOCX = {"firmware-update": FIRMWARE, "connection-drops": DROPS, "lumo-app": APP}
PDF = {"cleaning": CLEANING, "ear-tips-and-fit": FIT, "buttons-and-lights": CONTROLS}


def lines(text: str) -> Iterator[tuple[str, str]]:
    """Yield what each line is (h1, h2, h3, number, bullet or text) and what it says."""
    for line in text.strip().splitlines():
        if line.startswith("#"):
            marks, _, words = line.partition(" ")
            yield f"h{len(marks)}", words
        elif line[0].isdigit():
            yield "number", line
        elif line.startswith("- "):
            yield "bullet", line[2:]
        else:
            yield "text", line


def write_docx(path: Path, text: str) -> None:
    """Write one manual as a DOCX with real headings and lists."""
    from docx import Document

    document = Document()
    properties = document.core_properties
    properties.author, properties.created, properties.modified = "Lumo", MADE, MADE
    styles = {"number": "List Number", "bullet": "List Bullet"}
    for kind, words in lines(text):
        if kind.startswith("h"):
            properties.title = words if kind == "h1" else properties.title
            document.add_heading(words, int(kind[1]))
        else:
            said = words.partition(". ")[2] if kind == "number" else words
            document.add_paragraph(said, style=styles.get(kind))
    document.save(str(path))


def write_pdf(path: Path, text: str) -> None:
    """Write one manual as a PDF whose headings show in size and weight."""
    from fpdf import FPDF

    pdf = FPDF(format="A5")
    pdf.set_creation_date(MADE)
    pdf.set_auto_page_break(True, margin=15)
    pdf.add_page()
    sizes = {"h1": 18, "h2": 14, "h3": 12}
    for kind, words in lines(text):
        heading = kind in sizes
        if heading:
            pdf.ln(3)
        if kind == "h1":
            pdf.set_title(words)
        pdf.set_font("Helvetica", "B" if heading else "", sizes.get(kind, 10))
        shown = f"- {words}" if kind == "bullet" else words
        pdf.multi_cell(0, sizes.get(kind, 10) * 0.5, shown, new_x="LMARGIN", new_y="NEXT", align="L")
    pdf.output(str(path))


def main() -> None:
    """Write all six files into the domain's documents."""
    for name, text in DOCX.items():
        write_docx(FOLDER / f"{name}.docx", text)
    for name, text in PDF.items():
        write_pdf(FOLDER / f"{name}.pdf", text)


if __name__ == "__main__":
    main()
