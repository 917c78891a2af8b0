"""`meshspec matrix`: several targets side by side, from the command line and from a file; what is missing, what fails, and the page in a real browser."""
import json
import os
import pathlib
import re
import subprocess
import sys

import pytest

from browser import in_browser, visit  # noqa: F401 (a fixture)

ROOT = pathlib.Path(__file__).resolve().parents[2]
MESHSPEC = ROOT / os.environ.get("MESHSPEC_BUILD", "build") / "meshspec"
README_MATRIX = ROOT / "tools/readme_matrix.py"
BROKEN = f"exec:{sys.executable} tools/adapters/misbehaving/adapter.py --break off-by-one-journal"


def matrix(*arguments):
    return subprocess.run([MESHSPEC, "matrix", *map(str, arguments)], cwd=ROOT, capture_output=True, timeout=120, text=True, check=False)


def columns(tmp_path, *entries):
    """A file of columns; YAML reads JSON."""
    file = tmp_path / "columns.yaml"
    file.write_text(json.dumps({"title": "A test", "columns": list(entries)}), encoding="utf-8")
    return file


def cells(page, state):
    """The links of the cells of a state."""
    return re.findall(rf'<td class="{state}[^"]*"><a href="#([^"]+)"', page)


def article(page, id_):
    return re.search(rf'<article class="evidence" id="{re.escape(id_)}".*?</article>', page, flags=re.S)[0]


@pytest.fixture(scope="module")
def mixed(tmp_path_factory):
    """A relay as it should be, one that is broken, and two that are not there."""
    folder = tmp_path_factory.mktemp("matrix")
    (folder / "known.txt").write_text("journal/of-*: its journal is one too long\n", encoding="utf-8")
    file = columns(folder, {"name": "ours", "transport": "memory", "target": "memory", "profiles": ["0.1.1", "0.2.0"]},
                   {"name": "theirs", "transport": "adapter", "target": BROKEN, "profiles": ["0.2.0"], "known-failing": "known.txt"},
                   {"name": "gone", "target": "exec:no-such-program --at-all"},
                   {"name": "lacking", "target": "memory", "needs": ["no-such-program"], "optional": True})
    ran = matrix(file, "--only", "journal/*", "--html", folder / "page.html", "--markdown", folder / "page.md")
    return ran, (folder / "page.html").read_text(encoding="utf-8"), (folder / "page.md").read_text(encoding="utf-8")


def test_two_columns_that_are_right(tmp_path):
    ran = matrix("--column", "ours@0.1.0,0.2.0=memory", "--column", f"same=spawn:{MESHSPEC.parent}/meshspec-relay --port 0 --control 0", "--only", "signal/*",
                 "--html", tmp_path / "page.html", "--markdown", tmp_path / "page.md")
    assert (ran.returncode, ran.stderr) == (0, "")
    assert ran.stdout.splitlines()[-1] == "all as expected"
    page = (tmp_path / "page.html").read_text(encoding="utf-8")
    assert set(re.findall(r'<td class="([a-z-]+)', page)) <= {"pass", "no-rule", "partly"}
    for link in cells(page, "pass"):
        assert "scenarios/" in article(page, link) or "every case" in article(page, link)
    assert re.search(r"\| signal \| ✅ 4 \| ✅ 4 \|", (tmp_path / "page.md").read_text(encoding="utf-8"))


def test_a_failing_cell_leads_to_the_case_and_its_differences(mixed):
    ran, page, markdown = mixed
    assert ran.returncode == 1
    failing = [link for link in cells(page, "fail") if link.startswith("case-")] or \
        re.findall(r'href="#(case-\d+-\d+)"', article(page, cells(page, "fail")[0]))
    evidence = article(page, failing[0])
    assert '<td class="is-wanted"><code>&quot;snapshot&quot;</code>' in evidence and '<td class="is-came"><code>&quot;delta&quot;</code>' in evidence
    assert "scenarios/journal/" in evidence and "again: " in evidence
    linked = re.search(r"❌ \[\d+/\d+\]\(#(case-\d+-\d+)\)", markdown)[1]
    assert f'<a id="{linked}"></a>' in markdown


def test_each_target_has_its_full_report_beside_the_page(tmp_path):
    ran = matrix("--column", "ours=memory", "--column", f"their & relay={BROKEN}", "--only", "journal/*", "--html", tmp_path / "page.html", "--reports")
    assert ran.returncode == 1
    page = (tmp_path / "page.html").read_text(encoding="utf-8")
    links = re.findall(r'href="(page\.reports/[^"#]+)#case=([^"@]+)@0\.2\.0"', page)
    assert links and {link for link, _ in links} == {"page.reports/2-their-relay.html"}
    for link, case in links:
        assert f'"name":"{case}"' in (tmp_path / link).read_text(encoding="utf-8")
    assert 'href="page.reports/1-ours.html">the full report' in page and (tmp_path / "page.reports/1-ours.html").is_file()


def test_known_failures_are_told_from_failures(mixed):
    assert "known to fail: its journal is one too long" in mixed[1]


def test_what_is_not_there_is_not_available_and_never_green(mixed):
    ran, page, markdown = mixed
    assert "gone: not available: the adapter `no-such-program --at-all`" in ran.stdout
    assert "lacking: not available: it needs no-such-program, which is not there" in ran.stdout
    assert "no-such-program: not found" in page and "it needs no-such-program, which is not there" in page
    assert {link for link in cells(page, "not-available")} == {"run-3", "run-4"}
    summary = markdown.split("<!-- matrix summary: begin -->")[1].split("<!-- matrix summary: end -->")[0]
    assert re.search(r"\| journal \| .*? \| .*? \| 🚫 2 \| 🚫 2 \|", summary)
    assert "Not available: gone: " in summary


@pytest.mark.parametrize("optional, status", [(False, 3), (True, 0)])
def test_only_what_is_optional_may_be_missing(tmp_path, optional, status):
    file = columns(tmp_path, {"name": "ours", "target": "memory"}, {"name": "gone", "target": "exec:no-such-program", "optional": optional})
    assert matrix(file, "--only", "signal/*").returncode == status


def test_nothing_but_optional_columns_that_are_missing_is_never_green(tmp_path):
    assert matrix(columns(tmp_path, {"name": "gone", "target": "exec:no-such-program", "optional": True}), "--only", "signal/*").returncode == 3


def test_a_server_that_ends_badly_is_told(tmp_path):
    ran = matrix("--column", f"ours=spawn:trap 'exit 7' TERM; {MESHSPEC.parent}/meshspec-relay --port 0 --control 0 & wait", "--only", "signal/*", "--html", tmp_path / "page.html")
    assert ran.returncode == 3
    assert "status 7" in (tmp_path / "page.html").read_text(encoding="utf-8")


@pytest.mark.parametrize("arguments, message", [
    ([], "say what to judge"),
    (["--column", "memory"], "--column takes NAME=TARGET"),
    (["--column", "ours=nonsense"], 'column "ours": there is no target "nonsense"'),
    (["--column", "ours@7.0=memory"], 'there is no profile "7.0"'),
    (["--column", "ours@store=memory"], "--profile store goes with"),
    (["--column", "ours=memory", "--only", "no-such-thing/*"], "no scenario matches"),
    (["--column", "ours=memory", "--html", "/no/such/folder/page.html"], "cannot write /no/such/folder/page.html"),
    (["--column", "ours=memory", "--html", "-", "--markdown", "-"], "only one report"),
    (["--column", "ours=memory", "--reports"], "--reports goes with --html FILE"),
    (["no-such-file.yaml"], "no-such-file.yaml"),
])
def test_bad_usage(arguments, message):
    ran = matrix(*arguments)
    assert ran.returncode == 2
    assert message in ran.stderr


@pytest.mark.parametrize("text, message", [
    ("columns:\n  - {name: ours, tarket: memory}\n", ":2:18: "),
    ("columns:\n  - {name: ours}\n", 'a column has a "target" or a command to "spawn"'),
    ("columns: []\n", ":1:"),
    ("columns:\n  - {name: ours, target: memory, profiles: [0.3.0]}\n", "0.3.0"),
])
def test_a_bad_file_of_columns_is_told_with_its_place(tmp_path, text, message):
    file = tmp_path / "bad.yaml"
    file.write_text(text, encoding="utf-8")
    ran = matrix(file)
    assert ran.returncode == 2
    assert ran.stderr.startswith(f"meshspec: {file}:") and message in ran.stderr


def test_a_profile_that_looks_like_a_number_is_read(tmp_path):
    file = tmp_path / "columns.yaml"
    file.write_text("columns:\n  - {name: ours, target: memory, profiles: [0.2.0, 0.9]}\n", encoding="utf-8")
    ran = matrix(file, "--only", "signal/*", "--markdown", "-")
    assert "ours<br>0.2.0 0.9 |" in ran.stdout


def test_the_readme_has_its_place_for_the_summary(tmp_path, mixed):
    subprocess.run([sys.executable, README_MATRIX, "--check", ROOT / "README.md"], check=True)
    readme, page = tmp_path / "README.md", tmp_path / "page.md"
    readme.write_text("before\n<!-- matrix summary: begin -->\n|old|\n|-|\n<!-- matrix summary: end -->\nafter\n", encoding="utf-8")
    page.write_text(mixed[2], encoding="utf-8")
    subprocess.run([sys.executable, README_MATRIX, page, readme], check=True)
    text = readme.read_text(encoding="utf-8")
    assert text.startswith("before\n<!-- matrix summary: begin -->\n**Relays**") and text.endswith("<!-- matrix summary: end -->\nafter\n")
    assert "|old|" not in text
    readme.write_text("no marks\n", encoding="utf-8")
    ran = subprocess.run([sys.executable, README_MATRIX, "--check", readme], capture_output=True, text=True, check=False)
    assert ran.returncode == 1 and "must stand there once" in ran.stderr


# ---- in a browser ----

@in_browser
def test_rows_are_filtered_by_text_level_and_state(mixed, visit):
    found = visit(mixed[1], """
      const shown = () => all(".matrix tr.rule").filter((row) => row.offsetParent !== null).map((row) => row.id.slice(4));
      const set = async (id, value) => { byId(id).value = value; byId(id).dispatchEvent(new Event("input")); await settle(); return shown(); };
      const result = {all: shown(), states: all("#filter-state option").map((option) => option.value)};
      result.text = await set("filter-text", "NEWEST journalLimit"); await set("filter-text", "");
      result.fail = await set("filter-state", "fail");
      result.none = await set("filter-level", "MAY"); result.areas = all(".matrix tr.area").filter((row) => row.offsetParent !== null).length;
      byId("filter-clear").click(); await settle(); result.cleared = shown();
      return result;""")
    assert "journal.limit" in found["all"] and len(found["all"]) > 3
    assert found["text"] == ["journal.limit"]
    assert "journal.limit" in found["fail"] and len(found["fail"]) < len(found["all"])
    assert (found["none"], found["areas"]) == ([], 0)
    assert found["cleared"] == found["all"]
    assert {"trouble", "different", "fail", "not-available", "pass"} <= set(found["states"])


@in_browser
def test_a_cell_brings_up_its_evidence_and_escape_goes_back(mixed, visit):
    found = visit(mixed[1], """
      const cell = document.querySelector(".matrix td.fail a");
      cell.focus(); cell.click(); await settle(); await settle();
      const open = document.querySelector(".evidence:target"), box = open.getBoundingClientRect();
      const result = {id: open.id, wanted: cell.hash.slice(1), seen: box.bottom <= innerHeight + 1 && box.top >= 0 && box.height > 50, focused: document.activeElement === open};
      document.dispatchEvent(new KeyboardEvent("keydown", {key: "Escape", bubbles: true})); await settle(); await settle();
      return {...result, closed: document.querySelector(".evidence:target") === null, back: document.activeElement === cell};""")
    assert found["id"] == found["wanted"]
    assert found["seen"] and found["focused"] and found["closed"] and found["back"]


@in_browser
def test_heads_stay_in_sight_while_the_table_is_scrolled(mixed, visit):
    found = visit(mixed[1], """
      const frame = document.querySelector(".matrix"), box = () => frame.getBoundingClientRect();
      frame.style.height = "220px"; frame.style.width = "420px";
      frame.scrollTo(150, 60); await settle();
      const near = (one, other) => Math.abs(one - other) < 3;
      return {moved: frame.scrollTop > 0 && frame.scrollLeft > 0, head: near(document.querySelector(".matrix thead").getBoundingClientRect().top, box().top),
              side: near(document.querySelector(".matrix tr.rule th").getBoundingClientRect().left, box().left)};""")
    assert found == {"moved": True, "head": True, "side": True}


@in_browser
@pytest.mark.parametrize("dark", [False, True])
def test_a_narrow_page_scrolls_only_its_table(mixed, visit, dark):
    found = visit(mixed[1], """
      for (const details of all("details")) details.open = true;
      await settle();
      return {inner: innerWidth, width: document.documentElement.scrollWidth, side: document.querySelector(".matrix tr.rule th").offsetWidth, background: getComputedStyle(document.body).backgroundColor};""", width=360, dark=dark)
    assert found["width"] <= found["inner"] <= 500
    assert 120 < found["side"] < found["inner"] / 2
    assert found["background"] == ("rgb(17, 21, 27)" if dark else "rgb(255, 255, 255)")


@in_browser
def test_every_cell_says_in_words_what_it_is(mixed, visit):
    assert visit(mixed[1], """
      return all(".matrix td").filter((cell) => !(cell.querySelector("a")?.title.includes(": ") && /[a-z]/.test(cell.textContent)) &&
        !cell.querySelector("[aria-label]")).length;""") == 0


@in_browser
def test_the_address_of_a_column_unfolds_what_it_is(mixed, visit):
    assert visit(mixed[1], 'await settle(); return byId("run-3").offsetParent !== null && byId("run-3").textContent.includes("not found");', hash_="#run-3")
