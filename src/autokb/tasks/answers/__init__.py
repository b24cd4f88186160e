"""Questions about a reply to a customer."""
