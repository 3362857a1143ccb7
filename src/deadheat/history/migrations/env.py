"""What alembic runs: the steps, on the connection and in the transaction that it is given."""

from alembic import context

from deadheat.history.tables import Base

context.configure(connection=context.config.attributes["connection"], target_metadata=Base.metadata)
with context.begin_transaction():
    context.run_migrations()
