"""A question becomes an answer that names its evidence."""
