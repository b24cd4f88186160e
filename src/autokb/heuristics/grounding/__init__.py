"""Whether what somebody wrote is supported by the text it was written from."""
