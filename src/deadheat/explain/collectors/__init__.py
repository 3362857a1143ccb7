"""What garbage collectors report, a runtime a file: how to ask, and how to read what they say."""
