"""Demands on strings: patterns, formats, types.

A null is no violation unless ``nulls="fail"``; with ``"empty"`` it counts as an empty string,
and with ``"skip"`` a pattern's share is that of the values.
"""

from __future__ import annotations

from typing import Self, Unpack

from assay.analyzers.counting import Nulls, PatternMatch
from assay.analyzers.text import TypeConsistency
from assay.checks.builder import CheckBuilder, Options, Verbatim

__all__ = ["FORMATS", "TextMethods"]

_OCTET = "(?:25[0-5]|2[0-4][0-9]|1[0-9]{2}|[1-9]?[0-9])"
_GROUP = "[0-9A-Fa-f]{1,4}"

#: well-known formats as regular expressions that cover the whole value
FORMATS = {
    "email": (
        r"[A-Za-z0-9.!#$%&'*+/=?^_`{|}~-]+@"
        r"[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?"
        r"(?:\.[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?)+"
    ),
    "url": r"(?i:https?|ftp)://[^\s/$.?#][^\s]*",
    "uuid": r"[0-9A-Fa-f]{8}-[0-9A-Fa-f]{4}-[0-9A-Fa-f]{4}-[0-9A-Fa-f]{4}-[0-9A-Fa-f]{12}",
    "ipv4": rf"{_OCTET}(?:\.{_OCTET}){{3}}",
    "ipv6": (
        rf"(?:(?:{_GROUP}:){{7}}{_GROUP}|(?:{_GROUP}:){{1,7}}:|(?:{_GROUP}:){{1,6}}:{_GROUP}"
        rf"|(?:{_GROUP}:){{1,5}}(?::{_GROUP}){{1,2}}|(?:{_GROUP}:){{1,4}}(?::{_GROUP}){{1,3}}"
        rf"|(?:{_GROUP}:){{1,3}}(?::{_GROUP}){{1,4}}|(?:{_GROUP}:){{1,2}}(?::{_GROUP}){{1,5}}"
        rf"|{_GROUP}:(?::{_GROUP}){{1,6}}|:(?:(?::{_GROUP}){{1,7}}|:))"
    ),
    "credit_card": (
        r"(?:4[0-9]{3}|5[1-5][0-9]{2}|2[2-7][0-9]{2}|6(?:011|5[0-9]{2}))(?:[ -]?[0-9]{4}){3}"
        r"|3[47][0-9]{2}[ -]?[0-9]{6}[ -]?[0-9]{5}"
    ),
    "social_security_number": r"(?!000|666|9)[0-9]{3}-(?!00)[0-9]{2}-(?!0000)[0-9]{4}",
}


class TextMethods(CheckBuilder):
    """What strings must look like; with bounds, what share of the rows."""

    def matches(
        self,
        column: str,
        pattern: str,
        *,
        nulls: Nulls = "ignore",
        search: bool = False,
        **options: Unpack[Options],
    ) -> Self:
        """The whole value matches a regular expression; with `search`, some part of it."""
        shown = [column, Verbatim(repr(pattern))]
        arguments = [column, pattern, nulls, search]
        return self._add("matches", PatternMatch, arguments, options, shown=shown, equals=1.0)

    def is_email(self, column: str, *, nulls: Nulls = "ignore", **options: Unpack[Options]) -> Self:
        """An e-mail address (as HTML's input field understands it, with a dot in the domain)."""
        return self._format("is_email", column, FORMATS["email"], nulls, options)

    def is_url(self, column: str, *, nulls: Nulls = "ignore", **options: Unpack[Options]) -> Self:
        """An http, https or ftp address."""
        return self._format("is_url", column, FORMATS["url"], nulls, options)

    def is_uuid(self, column: str, *, nulls: Nulls = "ignore", **options: Unpack[Options]) -> Self:
        """A UUID in its canonical form."""
        return self._format("is_uuid", column, FORMATS["uuid"], nulls, options)

    def is_ip_address(
        self, column: str, *, nulls: Nulls = "ignore", **options: Unpack[Options]
    ) -> Self:
        """An IPv4 or IPv6 address."""
        either = f"{FORMATS['ipv4']}|{FORMATS['ipv6']}"
        return self._format("is_ip_address", column, either, nulls, options)

    def is_credit_card(
        self, column: str, *, nulls: Nulls = "ignore", **options: Unpack[Options]
    ) -> Self:
        """A number in the form of Visa, Mastercard, Discover or American Express."""
        return self._format("is_credit_card", column, FORMATS["credit_card"], nulls, options)

    def is_social_security_number(
        self, column: str, *, nulls: Nulls = "ignore", **options: Unpack[Options]
    ) -> Self:
        """A US social security number, ``AAA-GG-SSSS``."""
        pattern = FORMATS["social_security_number"]
        return self._format("is_social_security_number", column, pattern, nulls, options)

    def has_data_type(self, column: str, type_name: str, **options: Unpack[Options]) -> Self:
        """Values look like a type: integral, fractional, boolean, date, timestamp, string."""
        return self._add("has_data_type", TypeConsistency, [column, type_name], options, equals=1.0)

    def has_consistent_type(self, column: str, **options: Unpack[Options]) -> Self:
        """All values look like one type."""
        return self._add("has_consistent_type", TypeConsistency, [column], options, equals=1.0)

    def has_type_consistency(self, column: str, **options: Unpack[Options]) -> Self:
        """The largest share of values that look like one type."""
        return self._add("has_type_consistency", TypeConsistency, [column], options)

    def _format(self, kind: str, column: str, pattern: str, nulls: Nulls, options: Options) -> Self:
        arguments = [column, pattern, nulls]
        return self._add(kind, PatternMatch, arguments, options, shown=[column], equals=1.0)
