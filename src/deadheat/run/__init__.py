"""A plan is run and recorded: block after block, each observation into the journal as it happens."""
