"""What others are told: pages, test reports, messages."""
