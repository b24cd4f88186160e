"""The port of a source: what each gives to ``sync``, item by item, be it of our own or of a plug-in."""
