"""The load generators that ours is held against, one a file."""
