"""Five short scripts. Each runs alone: ``python -m examples.check_a_table``."""
