"""What the README says of results is what the result pages say, and links lead somewhere."""

import pathlib
import re

import pytest

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


def pages():
  """Of the project itself: not of what is built or installed in its folder."""
  found = (path.relative_to(ROOT) for path in ROOT.rglob("*.md"))
  return sorted(str(path) for path in found if path.parts[0] != "build" and not path.parts[0].startswith("."))


@pytest.mark.parametrize("page", pages())
def test_links_lead_somewhere(page):
  links = re.findall(r"\]\(([^)#\s]+)", (ROOT / page).read_text())
  inside = [link for link in links if "://" not in link]
  assert [link for link in inside if not ((ROOT / page).parent / link).exists()] == []
