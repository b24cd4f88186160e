"""Which of what was found answers a customer: sections in order, nothing, or a question back."""
