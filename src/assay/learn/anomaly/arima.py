"""Seasonal ARIMA, by statsmodels."""

from __future__ import annotations

import math
import warnings
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from importlib import import_module

from assay.checks.anomalies import Expectation, NotEnough, Point
from assay.learn.anomaly.deviations import Deviations, constant
from assay.learn.anomaly.differenced import Differenced
from assay.learn.anomaly.history import values
from assay.learn.anomaly.normal import BatchNormal
from assay.learn.anomaly.units import Units
from assay.learn.anomaly.wording import about
from assay.learn.dependency import needs

__all__ = ["SeasonalArima"]


@dataclass(frozen=True, kw_only=True)
class SeasonalArima(Deviations):
    """ARIMA (p, d, q) with a season (P, D, Q) of `period` batches, fitted anew for each answer.

    For metrics whose values depend on the ones just before as well as on the season. Slower than
    the others by far (up to seconds) and no better where `Seasonal` fits. Seasons are
    counted in batches, as with `HoltWinters`. Where no fit is found, the range is that of the
    change since the batch one period before, and the reason says so.
    """

    order: tuple[int, int, int] = (1, 0, 1)
    seasonal: tuple[int, int, int] = (0, 1, 1)
    period: int = 7

    def __post_init__(self) -> None:
        super().__post_init__()
        for name, orders in (("order", self.order), ("seasonal", self.seasonal)):
            if min(orders) < 0:
                raise ValueError(f"{name} is three numbers of 0 or more, not {orders!r}.")
        if self.period < 2:
            raise ValueError(f"period is 2 batches or more, not {self.period!r}.")

    @property
    def need(self) -> int:
        """What the differences and lags reach back over, and two periods to fit to."""
        reach = self.order[1] + self.period * max(1, self.seasonal[1])
        return reach + max(2 * self.period, 2 * self._parameters + 3)

    @property
    def _parameters(self) -> int:
        return 1 + self.order[0] + self.order[2] + self.seasonal[0] + self.seasonal[2]

    def expect(self, history: Sequence[Point], time: datetime) -> Expectation | NotEnough:
        """The value foreseen ± so many standard errors of the forecast."""
        known = values(history)
        if len(known) < self.need:
            return NotEnough(len(known), self.need)
        if min(known) == max(known):
            return constant(known[0], len(known))
        foreseen = self._foreseen(known)
        if foreseen is None:
            return self._without_fit(history, time)
        value, error = foreseen
        lost = self.order[1] + self.period * self.seasonal[1]
        reason = (
            f"{about(value)} foreseen {self._allowed} sd {about(error)} from {len(known)} batches,"
            f" ARIMA {self.order} season {self.seasonal} of {self.period}"
        )
        df = len(known) - lost - self._parameters
        return self._widened(value, error, df=df, reason=reason)

    def _foreseen(self, known: Sequence[float]) -> tuple[float, float] | None:
        """The next value and its standard error, unless the fit came to nothing."""
        with needs("numpy"):
            import numpy as np
        with needs("statsmodels"):
            sarimax = import_module("statsmodels.tsa.statespace.sarimax")

        units = Units.of(known)
        try:
            with warnings.catch_warnings():
                # starting values and convergence: what matters is whether a forecast comes out
                warnings.simplefilter("ignore")
                model = sarimax.SARIMAX(
                    np.array(units.without(known)),
                    order=self.order,
                    seasonal_order=(*self.seasonal, self.period),
                    concentrate_scale=True,
                )
                fit = model.fit(disp=0, maxiter=50, cov_type="none")
                forecast = fit.get_forecast(1)
            value, error = float(forecast.predicted_mean[0]), float(forecast.se_mean[0])
        except (ValueError, ArithmeticError):
            return None
        if not (math.isfinite(value) and 0 < error < math.inf):
            return None
        return units.value(value), units.spread(error)

    def _without_fit(self, history: Sequence[Point], time: datetime) -> Expectation | NotEnough:
        plain = Differenced(BatchNormal(lower=self.lower, upper=self.upper), lag=self.period)
        expected = plain.expect(history, time)
        if isinstance(expected, NotEnough):
            return expected
        return replace(expected, reason=f"no ARIMA could be fitted; {expected.reason}")
