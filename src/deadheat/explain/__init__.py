"""Why one contender is faster than another. Both run once more, under instruments.

Nothing here counts as a measurement of a race: an instrument slows what it looks at, and says by how much.
"""
