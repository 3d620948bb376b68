"""Auto-Validate-by-History: what a column's past batches let demand of the next (avh-kdd23)."""
