"""Targets of notices. Their addresses are secrets, and are never shown.

>>> Target("slack", "https://hooks.example.org/services/T0/B0/secret")
Target(slack, https://hooks.example.org/…)
>>> hidden = Target("webhook", "${env:ALERTS_URL}")
>>> hidden
Target(webhook, ${env:ALERTS_URL})
>>> hidden.address({"ALERTS_URL": "https://example.org/token"})
'https://example.org/token'
"""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal, get_args
from urllib.parse import urlsplit

from assay.errors import CheckError
from assay.plugins import load_plugins

__all__ = ["Kind", "Target", "notifier_kinds"]

#: the kinds that Assay has without plugins
Kind = Literal["webhook", "slack"]

_VARIABLE = re.compile(r"\$\{env:([A-Za-z_][A-Za-z0-9_]*)\}")


def notifier_kinds() -> tuple[str, ...]:
    """Return the kinds of targets, those of other packages included.

    >>> notifier_kinds()
    ('webhook', 'slack')
    """
    return (*get_args(Kind), *(name for name, _ in load_plugins("assay.notifiers")))


@dataclass(frozen=True, repr=False)
class Target:
    """An address that gets notices.

    Attributes
    ----------
    kind
        ``"webhook"``, ``"slack"`` or the kind of a plugin.
    url
        The address. ``${env:NAME}`` stands for an environment variable. Its value is looked up when
        a notice is sent, and is not stored.
    """

    kind: str
    url: str

    def __post_init__(self) -> None:
        kinds = notifier_kinds()
        if self.kind not in kinds:
            raise CheckError(f"notify: expected one of {', '.join(kinds)}, got {self.kind!r}.")
        if not isinstance(self.url, str):
            raise CheckError(f"{self.kind}: an address is text.")
        if "${env:" in _VARIABLE.sub("", self.url):
            raise CheckError(f"{self.kind}: a variable is written ${{env:NAME}}.")
        if not self.variables:
            self._require_address(self.url)

    @property
    def variables(self) -> tuple[str, ...]:
        """The environment variables in the address."""
        return tuple(_VARIABLE.findall(self.url))

    def address(self, environment: Mapping[str, str] | None = None) -> str:
        """Return the address with the variables replaced. Never show it: it may contain a token."""
        values = os.environ if environment is None else environment
        for name in self.variables:
            if not values.get(name):
                raise CheckError(f"{self.kind}: the environment variable {name} is not set.")
        address = _VARIABLE.sub(lambda match: values[match[1]], self.url)
        self._require_address(address)
        return address

    def _require_address(self, address: str) -> None:
        try:
            parts = urlsplit(address)
            fits = parts.scheme in {"http", "https"} and bool(parts.hostname)
            _ = parts.port
        except ValueError:
            fits = False
        if not fits or not address.isprintable() or " " in address:
            raise CheckError(f"{self.kind}: {self.shown} is not an http or https address.")

    @property
    def shown(self) -> str:
        """The part of the address that may be shown: its variables, or its host."""
        if self.variables:
            return " ".join(f"${{env:{name}}}" for name in self.variables)
        try:
            parts = urlsplit(self.url)
            host = parts.hostname
        except ValueError:
            host = None
        return f"{parts.scheme}://{host}/…" if host else "the address"

    def __repr__(self) -> str:
        return f"Target({self.kind}, {self.shown})"
