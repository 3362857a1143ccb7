"""What garbage collectors tell of themselves, a runtime a file: how to ask, and how to read what they say."""
