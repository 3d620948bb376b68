"""Write checks as Python code and as YAML."""
