"""Programs of many kinds, split as far as a plan can, give what `jax.jit` gives."""

import jax
import jax.numpy as jnp
import numpy as np
import programs
import pytest
import shardwright as sw


def as_split_as_can_be(function, *args, **options):
  """One byte of memory fits no plan; the error has the plan with the smallest peak."""
  try:
    return sw.plan(function, *args, device="h100", memory=1, budget="40", threads=1, **options)
  except sw.DoesNotFit as error:
    return error.plan


def assert_same(actual, expected, tolerance):
  assert jax.tree.structure(actual) == jax.tree.structure(expected)
  for a, e in zip(jax.tree.leaves(actual), jax.tree.leaves(expected)):
    assert (a.shape, a.dtype) == (e.shape, e.dtype)
    if jax.dtypes.issubdtype(e.dtype, jax.dtypes.prng_key):
      a, e = jax.random.key_data(a), jax.random.key_data(e)
    wide = np.complex128 if jnp.iscomplexobj(e) else np.float64
    a, e = np.asarray(a).astype(wide), np.asarray(e).astype(wide)
    scale = np.sqrt(np.mean(np.abs(e) ** 2)) if e.size else 0.0
    np.testing.assert_allclose(a, e, rtol=tolerance, atol=tolerance * scale + 1e-6)


@pytest.mark.parametrize("name", programs.CASES)
def test_runs_like_jit(name, mesh):
  function, args, kwargs, tolerance = programs.CASES[name]
  expected = jax.jit(function)(*args, **kwargs)
  plan = as_split_as_can_be(function, *args, mesh=mesh, **kwargs)
  assert repr(plan) and plan._repr_html_() and plan.explain()
  backwards = dict(reversed(kwargs.items()))
  for mode in ("explicit", "annotated"):
    assert_same(plan.jit(mode)(*args, **backwards), expected, tolerance)
  if not kwargs:
    jitted = jax.jit(function, in_shardings=plan.in_shardings, out_shardings=plan.out_shardings)
    assert_same(jitted(*args), expected, tolerance)


def spectra(z):
  w = jnp.fft.ifft(jnp.fft.fft(z) * jnp.conj(jnp.fft.fft(z[::-1])))
  turned = jnp.exp(1j * jnp.angle(w)) * z
  products = z @ z.conj().T, jnp.einsum("ij,kj->ik", z, z)
  return w, jnp.abs(w), products, turned, jnp.fft.fftshift(jnp.abs(w), axes=1), jnp.sort(jnp.abs(z), axis=0)


def test_transforms_run_whatever_chooses_the_layouts_around_them(mesh):
  """Explicit alone: in the annotated form XLA for hosts refuses them."""
  z = (programs.f32(8, 64) + 1j * programs.f32(8, 64)).astype(jnp.complex64)
  plan = sw.plan(spectra, z, mesh=mesh, schedule=[sw.shard("z", 1, "data")])
  assert_same(plan.jit()(z), jax.jit(spectra)(z), 1e-4)
