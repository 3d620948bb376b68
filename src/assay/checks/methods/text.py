"""Constraints on strings: regular expressions, formats, types.

With ``nulls="ignore"`` a null passes, with ``"fail"`` it fails. With ``"empty"`` it
counts as an empty string. With ``"skip"`` the metric is the share of values instead of rows.
"""

from __future__ import annotations

from typing import Self, Unpack

from assay.analyzers.counting import PatternMatch
from assay.analyzers.regex import Nulls, regex_problem
from assay.analyzers.text_types import TypeConsistency
from assay.checks.builder import CheckBuilder, Verbatim
from assay.checks.constraint_method import constraint_method
from assay.checks.constraint_options import Options
from assay.errors import CheckError

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


#: texts of parameters that most methods of this module have
_STRINGS = {
    "column": "Name of a string column.",
    "nulls": (
        'Treatment of nulls. ``"ignore"``: no violation. ``"fail"``: a violation. ``"empty"``: an'
        ' empty string. ``"skip"``: no row; the metric is a share of values.'
    ),
}


class TextMethods(CheckBuilder):
    """Formats of strings. The metric is the share of rows that match; bounds judge this share."""

    @constraint_method(default={"equals": 1.0}, docs=_STRINGS)
    def matches(
        self,
        column: str,
        pattern: str,
        *,
        nulls: Nulls = "ignore",
        search: bool = False,
        **options: Unpack[Options],
    ) -> Self:
        r"""Require strings to match a regular expression.

        Parameters
        ----------
        pattern
            A regular expression of Java. It must match the whole value, to the last character.
        search
            True if it is enough that a part of the value matches.

        Raises
        ------
        CheckError
            If the regular expression is certainly invalid. Otherwise Spark decides.

        Examples
        --------
        >>> Check("orders").matches("order_id", "[A-Z]{2}-[0-9]+")
        Check('orders', 1 constraint)
        """
        _require_regex(f"{self.name}: matches({column})", pattern)
        shown = [column, Verbatim(repr(pattern))]
        arguments = [column, pattern, nulls, search]
        return self._add("matches", PatternMatch, arguments, options, shown=shown)

    @constraint_method(default={"equals": 1.0}, docs=_STRINGS)
    def is_email(self, column: str, *, nulls: Nulls = "ignore", **options: Unpack[Options]) -> Self:
        """Require strings to be e-mail addresses.

        Notes
        -----
        The rule of HTML's ``<input type="email">``, with a dot in the domain.

        Examples
        --------
        >>> Check("orders").is_email("email")
        Check('orders', 1 constraint)
        """
        return self._matches_format("is_email", column, FORMATS["email"], nulls, options)

    @constraint_method(default={"equals": 1.0}, docs=_STRINGS)
    def is_url(self, column: str, *, nulls: Nulls = "ignore", **options: Unpack[Options]) -> Self:
        """Require strings to be http, https or ftp addresses.

        Examples
        --------
        >>> Check("orders").is_url("website")
        Check('orders', 1 constraint)
        """
        return self._matches_format("is_url", column, FORMATS["url"], nulls, options)

    @constraint_method(default={"equals": 1.0}, docs=_STRINGS)
    def is_uuid(self, column: str, *, nulls: Nulls = "ignore", **options: Unpack[Options]) -> Self:
        """Require strings to be UUIDs.

        Notes
        -----
        The canonical form with hyphens, in upper or lower case.

        Examples
        --------
        >>> Check("orders").is_uuid("session_id")
        Check('orders', 1 constraint)
        """
        return self._matches_format("is_uuid", column, FORMATS["uuid"], nulls, options)

    @constraint_method(default={"equals": 1.0}, docs=_STRINGS)
    def is_ip_address(
        self, column: str, *, nulls: Nulls = "ignore", **options: Unpack[Options]
    ) -> Self:
        """Require strings to be IPv4 or IPv6 addresses.

        Examples
        --------
        >>> Check("orders").is_ip_address("client")
        Check('orders', 1 constraint)
        """
        return self._matches_format(
            "is_ip_address", column, f"{FORMATS['ipv4']}|{FORMATS['ipv6']}", nulls, options
        )

    @constraint_method(default={"equals": 1.0}, docs=_STRINGS)
    def is_credit_card(
        self, column: str, *, nulls: Nulls = "ignore", **options: Unpack[Options]
    ) -> Self:
        """Require strings to be credit card numbers.

        Notes
        -----
        The form of Visa, Mastercard, Discover or American Express. The check digit is not computed.

        Examples
        --------
        >>> Check("orders").is_credit_card("card")
        Check('orders', 1 constraint)
        """
        return self._matches_format(
            "is_credit_card", column, FORMATS["credit_card"], nulls, options
        )

    @constraint_method(default={"equals": 1.0}, docs=_STRINGS)
    def is_social_security_number(
        self, column: str, *, nulls: Nulls = "ignore", **options: Unpack[Options]
    ) -> Self:
        """Require strings to be US social security numbers.

        Notes
        -----
        The form ``AAA-GG-SSSS``, without numbers that are never issued.

        Examples
        --------
        >>> Check("orders").is_social_security_number("ssn")
        Check('orders', 1 constraint)
        """
        return self._matches_format(
            "is_social_security_number", column, FORMATS["social_security_number"], nulls, options
        )

    @constraint_method(default={"equals": 1.0}, formula="values that look like the type / values")
    def has_data_type(self, column: str, type_name: str, **options: Unpack[Options]) -> Self:
        """Require strings to look like values of a type.

        Nulls are ignored.

        Parameters
        ----------
        type_name
            ``"integral"``, ``"fractional"``, ``"boolean"``, ``"date"``, ``"timestamp"`` or
            ``"string"``. Every integral number is fractional as well.

        Notes
        -----
        A column that is not a string has its own type.

        Examples
        --------
        >>> Check("orders").has_data_type("quantity", "integral")
        Check('orders', 1 constraint)
        """
        return self._add("has_data_type", TypeConsistency, [column, type_name], options)

    @constraint_method(default={"equals": 1.0}, formula="values of the most frequent type / values")
    def has_consistent_type(self, column: str, **options: Unpack[Options]) -> Self:
        """Require all strings of a column to look like values of one type.

        Nulls are ignored. The types are those of `has_data_type`.

        Examples
        --------
        >>> Check("orders").has_consistent_type("quantity")
        Check('orders', 1 constraint)
        """
        return self._add("has_consistent_type", TypeConsistency, [column], options)

    @constraint_method(formula="values of the most frequent type / values")
    def has_type_consistency(self, column: str, **options: Unpack[Options]) -> Self:
        """Require the share of values that look like the most frequent type to lie within bounds.

        Nulls are ignored. The types are those of `has_data_type`.

        Examples
        --------
        >>> Check("orders").has_type_consistency("quantity", at_least=0.99)
        Check('orders', 1 constraint)
        """
        return self._add("has_type_consistency", TypeConsistency, [column], options)

    def _matches_format(
        self, method: str, column: str, pattern: str, nulls: Nulls, options: Options
    ) -> Self:
        arguments = [column, pattern, nulls]
        return self._add(method, PatternMatch, arguments, options, shown=[column])


def _require_regex(what: str, pattern: object) -> None:
    expected = "a regular expression of Java"
    if not isinstance(pattern, str):
        raise CheckError.unexpected(what, expected, pattern)
    problem = regex_problem(pattern)
    if problem is not None:
        raise CheckError.unexpected(what, expected, pattern, f"It has an error: {problem}.")
