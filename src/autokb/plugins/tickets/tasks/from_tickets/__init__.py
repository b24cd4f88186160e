"""The answer to a question from past tickets."""
