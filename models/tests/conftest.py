"""Tests of the models run on the host, wherever they are started."""

import jax

jax.config.update("jax_platforms", "cpu")
