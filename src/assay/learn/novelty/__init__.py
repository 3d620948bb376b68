"""Detect batches that are unlike the accepted ones (novelty-edbt21).

- `seen_values` stores the values of accepted batches, with `trigrams` for text.
- `batch_features` computes the features of a batch; `metrics` lists them.
- `feature_matrix` holds the features of past batches and predicts the next ones.
- `bands` is the default detector; `sampling_error` widens its bands for small batches.
- `outlier_detector` is the paper's detector, with the methods of `outlier_methods`
  and the features of `paper_features`.
- `conformal` calibrates any detector by its past scores.
- `repetition` counts the columns that are unchanged since the batch before.
- `novelty_result` is the result of every detector.
"""
