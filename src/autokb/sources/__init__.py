"""Sources become documents and raw issues: files of many formats in, nouns out."""

from autokb.sources.documents import read_documents
from autokb.sources.issues import read_issues
from autokb.sources.reading import Fields, Reading, SourceRecord

__all__ = ["Fields", "Reading", "SourceRecord", "read_documents", "read_issues"]
