"""The next step towards a reply: look something up, answer, or say that there is nothing to answer."""
