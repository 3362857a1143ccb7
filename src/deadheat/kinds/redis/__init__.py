"""Redis clients: how they are checked and measured."""
