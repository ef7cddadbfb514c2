"""Measures the devices at hand through JAX and writes a device profile that `shardwright` reads."""
