"""The one door to models: embedders today, chat models behind the same door."""
