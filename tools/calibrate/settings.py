"""How much is measured."""

import dataclasses


@dataclasses.dataclass(frozen=True)
class Settings:
  matmul_sizes: tuple = (1024, 2048, 4096, 8192)
  matmuls: int = 8  # In one run.
  memory_elements: tuple = (1 << 24, 1 << 28)
  cached: bool = False  # The smallest of them fit into caches, which programs profit from.
  vector_elements: int = 1 << 22
  launches: int = 200
  collective_bytes: tuple = (1 << 12, 1 << 16, 1 << 20, 1 << 24, 1 << 27)
  collectives: int = 10
  repeats: int = 10


FULL = Settings()
# A host CPU is a thousand times slower than an accelerator.
HOST = dataclasses.replace(
  FULL,
  matmul_sizes=(256, 512, 1024),
  matmuls=4,
  memory_elements=(1 << 14, 1 << 16, 1 << 18, 1 << 20, 1 << 22, 1 << 24),
  cached=True,
  vector_elements=1 << 16,
  collective_bytes=(1 << 12, 1 << 16, 1 << 20, 1 << 23),
  repeats=5,
)
# A look at whether everything runs; the numbers are rough.
QUICK = Settings(
  matmul_sizes=(64, 128),
  matmuls=3,
  memory_elements=(1 << 18,),
  vector_elements=1 << 12,
  launches=20,
  collective_bytes=(1 << 12, 1 << 18),
  collectives=2,
  repeats=2,
)
