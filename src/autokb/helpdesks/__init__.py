"""The port of a helpdesk: what each says of itself, be it of our own or of a plug-in, and how it is asked."""
