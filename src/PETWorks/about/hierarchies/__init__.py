"""Generalisation hierarchies, one module for each way of declaring one."""
