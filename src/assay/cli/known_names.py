"""Suggest a command for the names that other tools have taught newcomers."""

from __future__ import annotations

from typing import Any

from typer.core import TyperGroup

__all__ = ["CommandGroup"]

#: names of commands of dbt, Great Expectations, Soda, Pandera, Deequ and git, with ours
_FAMILIAR_NAMES = {
    "validate": "check",
    "verify": "check",
    "test": "check",
    "lint": "check",
    "scan": "check",
    "run": "check",
    "diff": "compare",
    "describe": "profile",
    "summary": "profile",
    "stats": "profile",
    "schema": "profile",
    "init": "suggest",
    "generate": "suggest",
    "recommend": "suggest",
    "judge": "gate",
    "submit": "gate",
    "guard": "gate",
    "record": "backfill",
    "import": "backfill",
    "load": "backfill",
    "replay": "backtest",
    "simulate": "backtest",
    "accept": "release",
    "approve": "release",
    "refuse": "reject",
    "drop": "reject",
    "why": "explain",
    "show": "explain",
    "html": "report",
    "docs": "report",
    "log": "history",
    "metrics": "history",
    "ls": "status",
    "list": "status",
    "datasets": "status",
    "held": "quarantine",
    "debug": "doctor",
    "info": "doctor",
    "version": "doctor",
}


class CommandGroup(TyperGroup):
    """A group of commands that knows which command a familiar name stands for."""

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        """Return the command of the first argument; fail with a suggestion."""
        name = args[0] if args else ""
        meant = _FAMILIAR_NAMES.get(name.lower().lstrip("-"))
        if name not in self.commands and meant in self.commands:
            ctx.fail(f"No such command {name!r}. Did you mean {meant!r}?")
        return super().resolve_command(ctx, args)
