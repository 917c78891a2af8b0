"""The HTML report in a real browser: it opens without an error or a request, its filters and details work, and nothing in it is markup that a target sent.

Each test puts a small script into a copy of the page, opens it in headless Chromium, and reads what the script found from the page.
"""
import json
import os
import pathlib
import re
import subprocess

import pytest

from browser import in_browser, visit  # noqa: F401 (a fixture)

ROOT = pathlib.Path(__file__).resolve().parents[2]
MESHSPEC = ROOT / os.environ.get("MESHSPEC_BUILD", "build") / "meshspec"
GOLDEN = ROOT / "fixtures/golden/reports"


@pytest.fixture(scope="module")
def page(tmp_path_factory):
    """A page of the command's own making."""
    file = tmp_path_factory.mktemp("html") / "page.html"
    ran = subprocess.run([MESHSPEC, "run", "--color", "never", "--html", file, "scenarios/selftest", "scenarios/identity"], cwd=ROOT, capture_output=True,
                         timeout=60, check=False)
    assert ran.returncode == 1, ran.stderr
    return file.read_text(encoding="utf-8")


def with_report(page, report):
    """The page with other results in it."""
    data = json.dumps(report, ensure_ascii=False).replace("<", "\\u003c")
    return re.sub(r'(<script type="application/json" id="data">).*?(</script>)', lambda found: found[1] + data + found[2], page, flags=re.S)


def golden_report(name):
    return json.loads((GOLDEN / f"{name}.json").read_text(encoding="utf-8"))


@in_browser
def test_all_cases_are_listed_the_worst_first(page, visit):
    found = visit(page, 'return {badges: all(".case .badge").map((badge) => badge.textContent), shown: byId("shown").textContent};')
    badges = found["badges"]
    assert badges == sorted(badges, key=["failed", "skipped", "passed"].index)
    assert set(badges) == {"failed", "skipped", "passed"}
    assert found["shown"] == f"{len(badges)} cases"


@in_browser
def test_every_outcome_has_its_button_and_filters(page, visit):
    report = golden_report("usual")
    found = visit(with_report(page, report), """
      const rows = [];
      for (const button of all("#outcomes button")) {
        button.click();
        rows.push([button.dataset.outcome, button.getAttribute("aria-pressed"), names()]);
        button.click();
      }
      return {rows, after: names().length};""")
    wanted = {outcome: [case["name"] for case in report["cases"] if case["outcome"] == outcome]
              for outcome in ["fail", "error", "xpass", "warning", "remark", "xfail", "skip", "pass"]}
    assert {outcome: listed for outcome, _, listed in found["rows"]} == wanted
    assert all(pressed == "true" for _, pressed, _ in found["rows"])
    assert found["after"] == len(report["cases"])


@in_browser
def test_search_and_fields_filter_together_and_are_cleared(page, visit):
    found = visit(with_report(page, golden_report("usual")), """
      const rows = {};
      await choose("filter-text", "SNAPSHOT message"); rows.text = names();
      await choose("filter-text", "join"); await choose("filter-clause", "join.rule"); rows.clause = names();
      await choose("filter-profile", "0.1.1"); rows.none = names();
      byId("filter-clear").click(); rows.cleared = names().length;
      await choose("filter-profile", "0.1.1"); rows.profile = names();
      rows.address = location.hash;
      await choose("filter-profile", ""); await choose("filter-area", "rate"); rows.area = names();
      rows.targetIsHidden = byId("filter-target").parentElement.hidden;
      return rows;""")
    assert found["text"] == ["join/snapshot", "leave/no-ghost", "join/takeover-writer"]
    assert found["clause"] == ["join/snapshot", "join/takeover-writer", "join/fresh"]
    assert found["none"] == []
    assert found["cleared"] == 10
    assert found["profile"] == ["seq/order"]
    assert found["address"] == "#profile=0.1.1"
    assert found["area"] == ["rate/refill", "rate/burst"]
    assert found["targetIsHidden"]


@in_browser
def test_the_address_chooses_filters_and_opens_a_case(page, visit):
    found = visit(with_report(page, golden_report("usual")), 'await settle(); return {names: names(), open: all(".case[open] .name").map((name) => name.textContent)};',
                  hash_="#area=join&case=join/snapshot@0.2.0")
    assert found == {"names": ["join/snapshot", "join/takeover-writer", "join/fresh"], "open": ["join/snapshot"]}


@in_browser
def test_a_case_shows_its_evidence_when_it_is_opened(page, visit):
    found = visit(with_report(page, golden_report("usual")), """
      const before = all(".body").length;
      const body = (await openCase("join/snapshot")).querySelector(".body");
      return {before, clause: body.querySelector(".clauses").textContent, place: body.querySelector("p code").textContent,
              differences: all("tbody tr", body.querySelector("table")).map((row) => all("td", row).map((cell) => cell.textContent)),
              wanted: body.querySelector(".is-wanted pre").textContent, transcript: all(".transcript tbody tr", body).length,
              unexpected: all(".transcript tr.unexpected", body).length, again: body.querySelector(".again pre").textContent};""")
    assert found["before"] == 0
    assert found["clause"] == "MUST join.rule What a relay has to do here."
    assert found["place"] == "scenarios/join/snapshot.yaml:7:5"
    assert found["differences"] == [["mode", '"snapshot"', '"up-to-date"', "7"], ["seq", "a number above 3", "0", "8"]]
    assert json.loads(found["wanted"])["mode"] == "snapshot"
    assert (found["transcript"], found["unexpected"]) == (5, 1)
    assert found["again"].startswith("meshspec run")


@in_browser
def test_the_sequence_diagram_sets_what_was_wanted_beside_what_came(page, visit):
    found = visit(with_report(page, golden_report("usual")), """
      const figure = (await openCase("join/snapshot")).querySelector(".sequence");
      const rows = all(".seq-row", figure);
      rows[0].focus();
      rows[0].dispatchEvent(new KeyboardEvent("keydown", {key: "ArrowDown", bubbles: true}));
      return {actors: all(".seq-actor text", figure).map((text) => text.textContent),
              rows: rows.map((row) => [row.getAttribute("class").replace("seq-row ", ""), all("text", row).pop().textContent]),
              named: rows.every((row) => row.getAttribute("aria-label") && row.querySelector("title")), output: figure.querySelector("output").textContent,
              reachable: all(".seq-row[tabindex='0']", figure).length};""")
    assert found["actors"] == ["ana", "relay"]
    assert [(row[0].split()[0], row[1]) for row in found["rows"]] == [
        ("connects", "connects"), ("sends", "hello"), ("control", "clock: advances by 500 ms"), ("gets", "welcome up-to-date seq=0"),
        ("wanted", "wanted: welcome snapshot seq>3"), ("closed", "closed by the relay")]
    assert "came" in found["rows"][3][0]
    assert found["named"] and found["reachable"] == 1
    assert found["output"].startswith('ana sends {"t":"hello"')


@in_browser
def test_a_message_that_never_came_is_drawn_at_the_end(page, visit):
    rows = visit(page, """
      const details = await openCase("selftest/nothing-came");
      return all(".seq-row", details).map((row) => row.getAttribute("class"));""")
    assert rows[-1].split()[1] == "wanted" or rows[-1].split()[1] == "came"
    assert sum("wanted" in row for row in rows) == 1


def long_report(count):
    report = golden_report("usual")
    case = next(case for case in report["cases"] if case["name"] == "join/snapshot")
    trace = [{"us": i * 1000, "kind": "gets", "connection": 1, "actor": f"client{i % 3}", "text": f'{{"t":"env","env":{{"seq":{i}}}}}'} for i in range(count)]
    trace[count // 2]["unexpected"] = True
    case["trace"] = trace
    report["cases"] = [case]
    return report


@in_browser
def test_a_long_run_is_cut_in_the_middle_but_keeps_what_failed(page, visit):
    rows = visit(with_report(page, long_report(240)), """
      const details = await openCase("join/snapshot");
      return all(".seq-row", details).map((row) => [row.getAttribute("class"), all("text", row).pop().textContent]);""")
    labels = [row[1] for row in rows]
    assert labels[0] == "env seq=0" and labels[-1] == "env seq=239"
    assert "env seq=120" in labels
    assert len(rows) <= 66
    left_out = sum(int(re.search(r"… (\d+)", label)[1]) for kind, label in rows if "gap" in kind)
    assert left_out + sum(label.startswith("env") for label in labels) == 240


@in_browser
def test_messages_are_told_in_a_few_words(page, visit):
    messages = {
        '{"t":"welcome","room":"r","seq":61,"epoch":"e","envs":[{"seq":1… (9999 bytes)': "welcome seq=61",
        '{"t":"env","room":"other","env":{"seq":3,"ops":[{"kind":"set","path":["a",0,"b"]},{}]}}': "env room=other seq=3 set a.0.b +1",
        '{"t":"presence","peer":{"origin":"ben"},"gone":true}': "presence ben gone",
        '{"t":"reject","room":"r","reason":"schema","expected":3}': "reject schema expected=3",
        '{"t":"welcome","seq":{"$gte":3},"epoch":{"$bind":"e"},"mode":{"$one-of":["delta","snapshot"]}}': 'welcome delta|snapshot seq≥3',
        '{"t":"constructor"}': 'constructor {"t":"constructor"}', "null": "null", "": "(empty)", "not JSON at all": "not JSON at all",
    }
    assert visit(page, f"return {json.dumps(list(messages))}.map(messageLabel);") == list(messages.values())


@in_browser
def test_nothing_that_a_target_sent_becomes_markup(page, visit):
    found = visit(with_report(page, golden_report("nasty")), """
      const before = all("script").length;
      for (const details of all(".case")) details.open = true;
      await settle();
      return {scripts: all("script").length - before, text: document.querySelector(".case .body").textContent, svg: all(".sequence svg").length};""")
    assert found["scripts"] == 0
    assert "</script><script>alert(1)</script>" in found["text"]
    assert "\\ud83d" in found["text"] and "😀" in found["text"]
    assert found["svg"] == 1


@in_browser
@pytest.mark.parametrize("dark", [False, True])
def test_a_narrow_page_never_scrolls_sideways(page, visit, dark):
    found = visit(with_report(page, golden_report("usual")), """
      for (const details of all("details")) details.open = true;
      await settle();
      for (const details of all("details")) details.open = true;
      await settle();
      const root = document.documentElement;
      return {inner: innerWidth, width: root.scrollWidth, background: getComputedStyle(document.body).backgroundColor};""", width=360, dark=dark)
    assert found["width"] <= found["inner"] <= 500
    assert found["background"] == ("rgb(17, 21, 27)" if dark else "rgb(255, 255, 255)")


@in_browser
def test_the_theme_can_be_chosen(page, visit):
    found = visit(page, """
      const rows = [];
      for (let i = 0; i < 3; i++) { byId("theme").click(); rows.push([byId("theme").textContent, getComputedStyle(document.body).backgroundColor]); }
      return rows;""")
    assert found == [["Theme: dark", "rgb(17, 21, 27)"], ["Theme: light", "rgb(255, 255, 255)"], ["Theme: auto", "rgb(255, 255, 255)"]]


@in_browser
def test_everything_that_can_be_used_has_a_name(page, visit):
    nameless = visit(with_report(page, golden_report("usual")), """
      for (const details of all(".case")) details.open = true;
      await settle();
      const named = (one) => one.getAttribute("aria-label") || one.textContent.trim() || (one.labels && one.labels.length > 0);
      return all("button:not([hidden]), a, input, select, summary, [role], [tabindex='0']").filter((one) => !named(one)).map((one) => one.outerHTML.slice(0, 200));""")
    assert nameless == []


@in_browser
def test_thousands_of_cases_are_listed_in_pieces(page, visit):
    report = golden_report("usual")
    report["cases"] = [{**report["cases"][1], "name": f"join/case-{i}"} for i in range(5000)]
    found = visit(with_report(page, report), """
      const first = names().length;
      byId("more").click();
      const second = names().length, more = byId("more").textContent;
      await choose("filter-text", "case-4999");
      return {first, second, more, last: names(), hidden: byId("more").hidden};""")
    assert found == {"first": 300, "second": 600, "more": "Show 300 more of 4400", "last": ["join/case-4999"], "hidden": True}


# ---- without a browser ----

def test_a_page_asks_for_nothing_from_elsewhere(page):
    outside_data = re.sub(r'<script type="application/json" id="data">.*?</script>', "", page, flags=re.S)
    assert set(re.findall(r"\b(?:https?:)?//[\w.-]+\.[\w.-]+[\w/]*", outside_data)) <= {"http://www.w3.org/2000/svg"}
    assert "default-src 'none'" in page


def luminance(colour):
    channels = [int(colour[i:i + 2], 16) / 255 for i in (1, 3, 5)]
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels]
    return sum(weight * c for weight, c in zip((0.2126, 0.7152, 0.0722), linear))


def contrast(one, other):
    bright, dim = sorted((luminance(one), luminance(other)), reverse=True)
    return (bright + 0.05) / (dim + 0.05)


@pytest.mark.parametrize("theme", [0, 1, 2])
def test_texts_stand_out_from_what_is_behind_them(theme):
    css = (ROOT / "harness/report/page/page.css").read_text()
    block = re.findall(r":root[^{,]*\{([^}]*)\}", css)[theme]
    colours = dict(re.findall(r"--(\w+): (#[0-9a-f]{6})", block))
    behind = [colours[name] for name in ("page", "panel")]
    for name in ("text", "dim", "link", "pass", "fail", "error", "xpass", "warning", "remark", "xfail", "skip", "wanted", "came"):
        assert min(contrast(colours[name], other) for other in behind) >= 4.5, name
    assert contrast(colours["text"], colours["note"]) >= 4.5 and contrast(colours["text"], colours["mark"]) >= 4.5
