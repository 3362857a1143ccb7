"""Figures from other tools, as context."""

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"


def upgrade() -> None:
    op.create_table(
        "context",
        sa.Column("id", sa.Integer, primary_key=True),
        sa.Column("imported", sa.String, nullable=False),
        sa.Column("tool", sa.String, nullable=False),
        sa.Column("file", sa.String, nullable=False),
        sa.Column("name", sa.String, nullable=False),
        sa.Column("workload", sa.String),
        sa.Column("contender", sa.String),
        sa.Column("requests", sa.Integer),
        sa.Column("throughput_rps", sa.Double),
        sa.Column("wall_s", sa.Double),
        sa.Column("latency_ms", sa.JSON, nullable=False),
        sa.Column("errors", sa.JSON, nullable=False),
    )
    op.create_index("ix_context_workload", "context", ["workload"])


def downgrade() -> None:
    op.drop_table("context")
