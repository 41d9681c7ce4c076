"""The command `petworks`: its options, output and exit codes."""
