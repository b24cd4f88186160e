"""Past tickets: exports of Jira, GitHub and Zendesk are known by their shape, any other table by its fields."""

from autokb.sources.tickets.reading import clean_ticket, read_tickets

__all__ = ["clean_ticket", "read_tickets"]
