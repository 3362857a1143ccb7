"""How a database of any older version becomes one of this version: one module a step, run by alembic."""
