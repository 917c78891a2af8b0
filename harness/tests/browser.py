"""Pages in a real browser, for the tests of what meshspec writes.

A small script is put into a copy of the page, the copy is opened in headless Chromium, and what the script found is read from it.
"""
import json
import re
import shutil
import subprocess

import pytest

CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)

in_browser = pytest.mark.skipif(CHROMIUM is None, reason="no Chromium is installed (Debian: chromium)")

WATCH = """<script>
const seen = {errors: [], alerts: 0};
addEventListener("error", (event) => seen.errors.push(event.message));
addEventListener("unhandledrejection", (event) => seen.errors.push(String(event.reason)));
addEventListener("securitypolicyviolation", (event) => seen.errors.push(`blocked: ${event.blockedURI}`));
console.error = console.warn = (...words) => seen.errors.push(words.join(" "));
window.alert = () => seen.alerts++;
</script>"""

RUN = """<script>
const settle = () => new Promise((resolve) => setTimeout(resolve, 20));
const all = (selector, root = document) => [...root.querySelectorAll(selector)];
const names = () => all(".case .name").map((name) => name.textContent);
const choose = async (id, value) => { byId(id).value = value; byId(id).dispatchEvent(new Event(id === "filter-text" ? "input" : "change")); await settle(); };
const openCase = async (name) => { const details = all(".case").find((one) => one.querySelector(".name").textContent === name); details.open = true; await settle(); return details; };
addEventListener("load", async () => {
  try { seen.found = await (async () => { SCRIPT })(); } catch (error) { seen.errors.push(String(error.stack)); }
  seen.requests = performance.getEntriesByType("resource").map((entry) => entry.name);
  const result = document.createElement("script");
  result.type = "application/json";
  result.id = "result";
  result.textContent = JSON.stringify(seen).replaceAll("<", "\\\\u003c");
  document.body.append(result);
});
</script>"""


@pytest.fixture
def visit(tmp_path):
    """Opens a page, runs a script in it (which may `return` something), and gives back what was found. There must be no error and no request."""
    def open_page(html, script="", width=1100, hash_="", dark=False):
        html = html.replace("<meta charset", WATCH + "<meta charset", 1).replace("</body>", RUN.replace("SCRIPT", script) + "</body>", 1)
        file = tmp_path / "page.html"
        file.write_text(html, encoding="utf-8")
        command = [CHROMIUM, "--headless", "--no-sandbox", "--disable-gpu", f"--user-data-dir={tmp_path / 'profile'}", f"--window-size={width},900",
                   "--virtual-time-budget=20000", "--dump-dom"]
        if dark:
            command.append("--blink-settings=preferredColorScheme=0")
        ran = subprocess.run([*command, f"file://{file}{hash_}"], capture_output=True, timeout=120, check=False)
        result = re.search(r'<script type="application/json" id="result">(.*?)</script>', ran.stdout.decode(), flags=re.S)
        assert result, f"the page did not come to its end: {ran.stderr.decode()[-2000:]}"
        seen = json.loads(result[1])
        assert seen["errors"] == []
        assert seen["requests"] == []
        assert seen["alerts"] == 0
        return seen.get("found")
    return open_page
