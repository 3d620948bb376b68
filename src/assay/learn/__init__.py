"""What the data itself demands: rules learned from what was remembered."""
