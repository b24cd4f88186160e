"""The gate in front of a publication: checks that people wrote, and whether what trees show fits their issues."""
