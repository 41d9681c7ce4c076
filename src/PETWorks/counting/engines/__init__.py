"""The engines that count: the choice between them, DuckDB and Spark."""

ENGINES = ("auto", "memory", "duckdb", "spark")
