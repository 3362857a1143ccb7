"""The tables of the history, as this version has them; how a database gets there: `migrations`."""

from __future__ import annotations

from typing import Any

from sqlalchemy import JSON, ForeignKey, Index, String
from sqlalchemy.orm import DeclarativeBase, Mapped, mapped_column, relationship


class Base(DeclarativeBase):
    """All that has a table."""


class RunRow(Base):
    """A run: its results whole, and of them what lists and trends ask for.

    Times are RFC 3339 texts, which sort. `machine` is what ratios may depend on, in words.
    """

    __tablename__ = "runs"

    id: Mapped[str] = mapped_column(String, primary_key=True)
    started: Mapped[str] = mapped_column(String, index=True)
    version: Mapped[str]
    preset: Mapped[str]
    commit: Mapped[str | None]
    machine: Mapped[str]
    folder: Mapped[str]
    unfinished: Mapped[str | None]
    recorded: Mapped[str]
    results: Mapped[dict[str, Any]] = mapped_column(JSON)
    rows: Mapped[list[ContenderRow]] = relationship(
        back_populates="run", cascade="all, delete-orphan", passive_deletes=True
    )


class ContenderRow(Base):
    """A measured contender of one race of a run. The setting is empty where there is none."""

    __tablename__ = "contenders"
    __table_args__ = (Index("ix_contenders_of", "workload", "contender"),)

    id: Mapped[int] = mapped_column(primary_key=True)
    run_id: Mapped[str] = mapped_column(ForeignKey("runs.id", ondelete="CASCADE"), index=True)
    workload: Mapped[str]
    setting: Mapped[str]
    method: Mapped[str]
    metric: Mapped[str]
    reference: Mapped[str]
    n: Mapped[int | None]
    connections: Mapped[int | None]
    contender: Mapped[str]
    class_: Mapped[str] = mapped_column("class")
    blocks: Mapped[int]
    estimate: Mapped[float | None]
    ratio: Mapped[float | None]
    ratio_low: Mapped[float | None]
    ratio_high: Mapped[float | None]
    of_ceiling: Mapped[float | None]
    verdict: Mapped[str | None]
    run: Mapped[RunRow] = relationship(back_populates="rows")


class ContextRow(Base):
    """Somebody's figures from another tool: context without an interval. Seconds, milliseconds."""

    __tablename__ = "context"

    id: Mapped[int] = mapped_column(primary_key=True)
    imported: Mapped[str]
    tool: Mapped[str]
    file: Mapped[str]
    name: Mapped[str]
    workload: Mapped[str | None] = mapped_column(String, index=True)
    contender: Mapped[str | None]
    requests: Mapped[int | None]
    throughput_rps: Mapped[float | None]
    wall_s: Mapped[float | None]
    latency_ms: Mapped[dict[str, float]] = mapped_column(JSON)
    errors: Mapped[dict[str, int]] = mapped_column(JSON)
