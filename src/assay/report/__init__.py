"""Show results and verdicts to people: terminal, HTML pages, JUnit files, notifications."""
