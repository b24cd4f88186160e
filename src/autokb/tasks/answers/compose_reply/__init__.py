"""One reply to a customer from numbered lines, each sentence with those that it stands on."""
