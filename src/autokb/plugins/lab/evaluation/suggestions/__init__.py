"""What suggestions are worth: beside a person's replies and the documents, by judges, and by people on a sheet."""
