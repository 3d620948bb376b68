"""Is this batch like the accepted ones? (novelty-edbt21)

In the order of its steps: `memory` is what accepted batches had (with `trigrams` for strings),
`features` are a batch's against it, `metrics` what they are; `series` predicts them, `bands`, the
default detector, says where they should be, `chance` how far off they may be; `judge` asks it, or
another, and `novelty` is what it says. The paper's own: `peculiarity` and `statistics` are its
features, `scores` its seven methods, and `points` the detector over them. `conformal` calibrates
any of them by its own past scores.
"""
