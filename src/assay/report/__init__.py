"""What others are told: test reports, messages."""
