"""A PDF whose pages are texts and pictures, as a scanner makes them."""

from __future__ import annotations

from fpdf import FPDF


def scanned(*pages: str) -> bytes:
    """Return a PDF whose pages have a text or, where it is empty, a picture that fills half of them."""
    from PIL import Image

    pdf = FPDF(unit="pt", format="A4")
    for text in pages:
        pdf.add_page()
        pdf.set_font("Helvetica", size=11)
        if text:
            pdf.text(60, 100, text)
        else:
            pdf.image(Image.new("RGB", (40, 40), "grey"), 60, 60, 450, 450)
    return bytes(pdf.output())
