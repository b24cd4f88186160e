"""Raw customer issues and manuals become a knowledge base that answers at the right granularity, with its source."""

__version__ = "0.1.0"
