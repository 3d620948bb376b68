"""Detect anomalies with a seasonal ARIMA forecast, fitted by statsmodels."""

from __future__ import annotations

import math
import warnings
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from importlib import import_module

from assay.checks.assertions.expectation import Expectation, NotEnough, Point
from assay.errors import InvalidValueError
from assay.learn.anomaly.deviation_range import Deviations, constant
from assay.learn.anomaly.differenced import Differenced
from assay.learn.anomaly.format_estimate import format_estimate
from assay.learn.anomaly.normal import BatchNormal
from assay.learn.anomaly.series import values
from assay.learn.anomaly.units import Units
from assay.learn.dependency import require_extra

__all__ = ["SeasonalArima"]


@dataclass(frozen=True, kw_only=True)
class SeasonalArima(Deviations):
    """Forecast with ARIMA (p, d, q) and a season (P, D, Q) of `period` batches.

    Use it for metrics that depend on the previous values as well as on the season. The model is
    fitted again for each forecast, which takes up to seconds. If `Seasonal` also suits the metric,
    prefer it: it is as accurate and much faster. Seasons are counted in batches, as with
    `HoltWinters`.

    If the fit fails, the range comes from the change since the batch one period earlier. The
    reason then says that no model could be fitted.
    """

    order: tuple[int, int, int] = (1, 0, 1)
    seasonal: tuple[int, int, int] = (0, 1, 1)
    period: int = 7

    def __post_init__(self) -> None:
        super().__post_init__()
        for name, orders in (("order", self.order), ("seasonal", self.seasonal)):
            if min(orders) < 0:
                raise InvalidValueError.unexpected(
                    f"invalid {name}", "three numbers of at least 0", orders
                )
        if self.period < 2:
            raise InvalidValueError.unexpected("invalid period", "at least 2 batches", self.period)

    @property
    def need(self) -> int:
        """Batches required: those that the differences use up, and two periods to fit."""
        reach = self.order[1] + self.period * max(1, self.seasonal[1])
        return reach + max(2 * self.period, 2 * self._parameters + 3)

    @property
    def _parameters(self) -> int:
        return 1 + self.order[0] + self.order[2] + self.seasonal[0] + self.seasonal[2]

    def expect(self, history: Sequence[Point], time: datetime) -> Expectation | NotEnough:
        """Return the forecast ± `lower` and `upper` standard errors of the forecast."""
        metric_values = values(history)
        if len(metric_values) < self.need:
            return NotEnough(len(metric_values), self.need)
        if min(metric_values) == max(metric_values):
            return constant(metric_values[0], len(metric_values))
        forecast_and_error = self._forecast(metric_values)
        if forecast_and_error is None:
            return self._without_fit(history, time)
        value, error = forecast_and_error
        differenced_batches = self.order[1] + self.period * self.seasonal[1]
        reason = (
            f"{format_estimate(value)} foreseen {self._allowed} sd {format_estimate(error)}"
            f" from {len(metric_values)} batches,"
            f" ARIMA {self.order} season {self.seasonal} of {self.period}"
        )
        df = len(metric_values) - differenced_batches - self._parameters
        return self._student_width(value, error, df=df, reason=reason)

    def _forecast(self, metric_values: Sequence[float]) -> tuple[float, float] | None:
        """Return the forecast and its standard error, or None if the fit fails."""
        with require_extra("numpy"):
            import numpy as np
        with require_extra("statsmodels"):
            sarimax = import_module("statsmodels.tsa.statespace.sarimax")

        units = Units.of(metric_values)
        try:
            with warnings.catch_warnings():
                # Ignore warnings on starting values and convergence: the forecast is checked below.
                warnings.simplefilter("ignore")
                model = sarimax.SARIMAX(
                    np.array(units.scaled(metric_values)),
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
        change_per_period = Differenced(
            BatchNormal(lower=self.lower, upper=self.upper), lag=self.period
        )
        expected = change_per_period.expect(history, time)
        if isinstance(expected, NotEnough):
            return expected
        return replace(expected, reason=f"no ARIMA could be fitted; {expected.reason}")
