"""Our own capabilities as plug-ins, one folder each; the core knows no more of them than their names."""
