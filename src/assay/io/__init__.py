"""Read tables: find their files, recognise formats and CSV dialects, choose column types."""
