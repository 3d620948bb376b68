"""Sums without rounding.

Adding doubles is not associative: ``(1e16 + 1) - 1e16`` is 0. Sums in states are therefore exact
integers times a power of two, or of ten for decimals. Merging states is then commutative and
associative, and subtracting a state restores exactly the previous one.

>>> total = Exact.of(1e16) + Exact.of(1.0) - Exact.of(1e16)
>>> total.value()
1.0
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction

from assay.errors import StateError

__all__ = ["Exact", "Number", "as_float"]

Number = int | float | Decimal


@dataclass(frozen=True, slots=True)
class Exact:
    """``mantissa · base^exponent``, plus a part that is not finite.

    Infinities and NaN are summed separately as doubles (`special`), where addition is associative:
    ``inf + -inf`` is NaN, and NaN plus anything is NaN.
    """

    mantissa: int = 0
    exponent: int = 0
    base: int = 2
    special: float = 0.0

    @staticmethod
    def of(number: Number) -> Exact:
        """Return the exact value of an integer, double or decimal."""
        if isinstance(number, int):
            return Exact(number)._reduced()
        if isinstance(number, Decimal):
            sign, digits, exponent = number.as_tuple()
            if not isinstance(exponent, int):
                return Exact(special=float(number))
            mantissa = int("".join(map(str, digits)) or "0")
            return Exact(-mantissa if sign else mantissa, exponent, 10)._reduced()
        if not math.isfinite(number):
            return Exact(special=number)
        numerator, denominator = number.as_integer_ratio()
        return Exact(numerator, 1 - denominator.bit_length())._reduced()

    @property
    def finite(self) -> bool:
        """True if only finite numbers were added."""
        return self.special == 0.0

    def fraction(self) -> Fraction:
        """Return the finite part as a rational number."""
        return Fraction(self.mantissa) * Fraction(self.base) ** self.exponent

    def value(self) -> float | Decimal:
        """Return the sum: a decimal in base ten, otherwise the nearest double."""
        if not self.finite:
            return self.special
        if self.base == 10:
            # as text: arithmetic on decimals would round to the precision of the context
            return Decimal(f"{self._aligned(min(self.exponent, 0))}E{min(self.exponent, 0)}")
        return as_float(self.fraction())

    def __add__(self, other: Exact) -> Exact:
        base = self._common_base(other)
        exponent = min(self.exponent, other.exponent)
        mantissa = self._aligned(exponent) + other._aligned(exponent)
        return Exact(mantissa, exponent, base, self.special + other.special)._reduced()

    def __neg__(self) -> Exact:
        return Exact(-self.mantissa, self.exponent, self.base, -self.special)

    def __sub__(self, other: Exact) -> Exact:
        return self + -other

    def scaled(self, factor: Exact) -> Exact:
        """Return the product with another finite number."""
        base = self._common_base(factor)
        return Exact(
            self.mantissa * factor.mantissa, self.exponent + factor.exponent, base
        )._reduced()

    def _common_base(self, other: Exact) -> int:
        if self.base == other.base or (other.exponent == 0 and other.base == 2):
            return self.base
        if self.exponent == 0 and self.base == 2:
            return other.base
        raise StateError.of_several_kinds(["decimal", "double"])

    def _aligned(self, exponent: int) -> int:
        return self.mantissa * int(self.base ** (self.exponent - exponent))

    def _reduced(self) -> Exact:
        """Return the unique form of this number, so that equal sums are equal values."""
        mantissa, exponent = self.mantissa, self.exponent
        if mantissa == 0:
            exponent = 0
        elif self.base == 2:
            zeros = (mantissa & -mantissa).bit_length() - 1
            mantissa >>= zeros
            exponent += zeros
        else:
            while mantissa % 10 == 0:
                mantissa //= 10
                exponent += 1
        return Exact(mantissa, exponent, self.base, self.special)


def as_float(fraction: Fraction) -> float:
    """Return the nearest double, or an infinity beyond the largest one."""
    try:
        return float(fraction)
    except OverflowError:
        return math.inf if fraction > 0 else -math.inf
