"""What the README says of results is what the result pages say."""

import pathlib

ROOT = pathlib.Path(__file__).resolve().parent.parent


def table_rows(text, columns):
  """The rows of all tables that have so many columns, but for heads."""
  rows = [[cell.strip() for cell in line.strip("| ").split(" | ")] for line in text.splitlines() if line.startswith("| ")]
  return [row for row in rows if len(row) == columns]


def test_search_results_are_those_of_the_grid():
  readme = (ROOT / "README.md").read_text()
  section = readme[readme.index("## What it finds") : readme.index("## Why believe it")]
  grid = table_rows((ROOT / "docs" / "results" / "search.md").read_text(), 13)[1:]
  known = {(row[0], row[1], row[2], row[3], row[11]) for row in grid}
  shown = table_rows(section, 5)[1:]
  assert len(shown) >= 5
  assert [row for row in shown if tuple(row) not in known] == []
  assert f"all {len(grid)} cells" in section
