"""What a message in a conversation says with what was said before."""
