"""The nouns. They hold values, check themselves, and import nothing else of ours."""
