"""What a question says of which sections of tickets, and which it asks for."""
