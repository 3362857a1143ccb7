"""Runs, and the measured contenders of each."""

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None


def upgrade() -> None:
    op.create_table(
        "runs",
        sa.Column("id", sa.String, primary_key=True),
        sa.Column("started", sa.String, nullable=False),
        sa.Column("version", sa.String, nullable=False),
        sa.Column("preset", sa.String, nullable=False),
        sa.Column("commit", sa.String),
        sa.Column("machine", sa.String, nullable=False),
        sa.Column("folder", sa.String, nullable=False),
        sa.Column("unfinished", sa.String),
        sa.Column("recorded", sa.String, nullable=False),
        sa.Column("results", sa.JSON, nullable=False),
    )
    op.create_index("ix_runs_started", "runs", ["started"])
    op.create_table(
        "contenders",
        sa.Column("id", sa.Integer, primary_key=True),
        sa.Column("run_id", sa.String, sa.ForeignKey("runs.id", ondelete="CASCADE"), nullable=False),
        sa.Column("workload", sa.String, nullable=False),
        sa.Column("setting", sa.String, nullable=False),
        sa.Column("method", sa.String, nullable=False),
        sa.Column("metric", sa.String, nullable=False),
        sa.Column("reference", sa.String, nullable=False),
        sa.Column("n", sa.Integer),
        sa.Column("connections", sa.Integer),
        sa.Column("contender", sa.String, nullable=False),
        sa.Column("class", sa.String, nullable=False),
        sa.Column("blocks", sa.Integer, nullable=False),
        sa.Column("estimate", sa.Double),
        sa.Column("ratio", sa.Double),
        sa.Column("ratio_low", sa.Double),
        sa.Column("ratio_high", sa.Double),
        sa.Column("of_ceiling", sa.Double),
        sa.Column("verdict", sa.String),
    )
    op.create_index("ix_contenders_run_id", "contenders", ["run_id"])
    op.create_index("ix_contenders_of", "contenders", ["workload", "contender"])


def downgrade() -> None:
    op.drop_table("contenders")
    op.drop_table("runs")
