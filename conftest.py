"""The pytest driver: every scenario is a test item for each target and profile; one `meshspec` process per case.

    pytest scenarios                          the reference relay, in memory and over a WebSocket
    pytest scenarios --relay-url ws://…       a relay by URL instead
    pytest scenarios --target exec:COMMAND    any target that `meshspec run --target` knows
    pytest scenarios --profile 0.1.1          by this protocol version (may be given several times; `all`: every one) and
                                              not each scenario by the newest in which it holds

Scenarios about stores are run once, with the local store and our provisioner (`--provisioner COMMAND`: another one).
"""
import functools
import json
import os
import pathlib
import re
import subprocess

import pytest
import yaml

ROOT = pathlib.Path(__file__).resolve().parent
PROFILES = ["0.1.0", "0.1.1", "0.2.0", "0.9"]
CASE_SECONDS = 60  # a case limits itself; this is for a harness that hangs


def build_folder():
    return ROOT / os.environ.get("MESHSPEC_BUILD", "build")


def pytest_addoption(parser):
    group = parser.getgroup("meshspec")
    group.addoption("--relay-url", help="judge the relay at this URL (ws://… or wss://…)")
    group.addoption("--target", action="append", help="judge this target (memory, ws://…, exec:COMMAND; `websocket`: a meshspec-relay "
                                                      "started for the purpose); default: memory and websocket")
    group.addoption("--provisioner", help="judge this provisioner with the scenarios about stores")
    group.addoption("--profile", action="append", help="protocol version to judge by (`all`: every one); default: each scenario by the newest in which it holds")


def chosen_targets(config):
    url = config.getoption("--relay-url")
    return [url] if url else config.getoption("--target") or ["memory", "websocket"]


@functools.cache
def scenarios_of(profile):
    """The names of the scenarios that hold in a profile; None when they cannot be listed, for a file is broken or nothing is built."""
    try:
        listed = subprocess.run([build_folder() / "meshspec", "list", "--profile", profile], cwd=ROOT, capture_output=True, text=True, check=True)
    except (OSError, subprocess.CalledProcessError):
        return None
    return {line.split("\t")[0] for line in listed.stdout.splitlines()}


def holds_in(path, profile):
    names = scenarios_of(profile)
    return names is None or str(path.relative_to(ROOT / "scenarios").with_suffix("")) in names


def chosen_profiles(config, path):
    asked = config.getoption("--profile")
    holds = [profile for profile in (PROFILES if not asked or "all" in asked else asked) if holds_in(path, profile)]
    return holds if asked else holds[-1:]


def pytest_collect_file(parent, file_path):
    if file_path.suffix == ".yaml" and (ROOT / "scenarios") in file_path.parents:
        return ScenarioFile.from_parent(parent, path=file_path)
    return None


STORE_CLAUSES = {clause["id"] for clause in yaml.safe_load((ROOT / "fixtures/clauses/store-provisioning.yaml").read_text())["clauses"]}


def is_about_stores(path):
    """A broken file is nobody's: the harness says what is wrong with it."""
    try:
        return yaml.safe_load(path.read_text())["clauses"][0] in STORE_CLAUSES
    except (yaml.YAMLError, TypeError, KeyError, IndexError):
        return False


def profile_of_selftest(path):
    profile = yaml.safe_load(path.read_text())["expect"].get("profile")
    return None if profile is None else str(profile)


class ScenarioFile(pytest.File):
    def collect(self):
        if is_about_stores(self.path):
            yield ScenarioItem.from_parent(self, name="store", target="store", profile="store")
            return
        # The verdicts that selftests pin are those of the reference relay in memory; one that is about a newer version says so.
        selftest = "selftest" in self.path.parts
        own = profile_of_selftest(self.path) if selftest else None
        for target in ["memory"] if selftest else chosen_targets(self.config):
            for profile in [own or "0.2.0"] if selftest else chosen_profiles(self.config, self.path):
                kind = re.sub(r"[^\w.:/-]", "_", target)
                yield ScenarioItem.from_parent(self, name=f"{kind}-{profile}", target=target, profile=profile)


class ScenarioItem(pytest.Item):
    def __init__(self, *, target, profile, **kwargs):
        super().__init__(**kwargs)
        self.target = target
        self.profile = profile

    def command(self):
        program = [str(build_folder() / "meshspec"), "run", "--color", "never", "--profile", self.profile]
        if self.target == "websocket":
            relay = build_folder() / "meshspec-relay"
            return program + ["--spawn", f"'{relay}' --port 0 --control 0"]
        provisioner = self.config.getoption("--provisioner")
        return program + ["--target", self.target] + (["--provisioner", provisioner] if self.target == "store" and provisioner else [])

    def runtest(self):
        # A scenario below selftest/ says what verdict the harness must come to.
        selftest = "selftest" in self.path.parts
        wanted = yaml.safe_load(self.path.read_text())["expect"]["verdict"] if selftest else "pass"
        ran = subprocess.run(self.command() + ["--json", "-", str(self.path.relative_to(ROOT))], cwd=ROOT, capture_output=True,
                             timeout=CASE_SECONDS, check=False)
        if ran.returncode not in (0, 1, 3):
            raise HarnessTrouble(f"meshspec ended with {ran.returncode}\n" + ran.stderr.decode(errors="replace"))
        case = json.loads(ran.stdout)["cases"][0]
        if case["verdict"] == wanted:
            return
        if case["verdict"] == "skip":
            pytest.skip(case["reason"])
        raise WrongVerdict(wanted, case, " ".join(self.command() + [str(self.path.relative_to(ROOT))]))

    def repr_failure(self, excinfo, style=None):
        if isinstance(excinfo.value, WrongVerdict):
            return excinfo.value.report()
        if isinstance(excinfo.value, HarnessTrouble):
            return str(excinfo.value)
        return super().repr_failure(excinfo)

    def reportinfo(self):
        return self.path, 0, f"{self.path.relative_to(ROOT)} [{self.name}]"


class HarnessTrouble(Exception):
    """The harness itself could not do its work."""


class WrongVerdict(Exception):
    """The case came out otherwise than it should."""

    def __init__(self, wanted, case, command):
        super().__init__(f"{case['verdict']} instead of {wanted}")
        self.wanted, self.case, self.command = wanted, case, command

    def report(self):
        case = self.case
        lines = [f"{case['name']}: {case['verdict']} instead of {self.wanted}", f"  {case['title']}"]
        lines += [f"  {clause['level']} {clause['id']}: {clause['text']}" for clause in case["clauses"]]
        if "failure" in case:
            failure = case["failure"]
            lines.append(f"  {case['file']}:{failure['line']}:{failure['column']}: {failure['message']}")
            lines += [f"    {d['path'] or 'the message'}: wanted {d['wanted']}, came {d['came']}" for d in failure["differences"]]
            lines += [f"    {word} {failure[word]}" for word in ("wanted", "came") if word in failure]
        if "reason" in case:
            lines.append(f"  {case['reason']}")
        for entry in case.get("trace", []):
            lines.append(f"    {entry['us'] / 1000:8.1f} ms  {entry['actor']:<8} {entry['kind']:<9} {entry['text'][:300]}")
        lines.append(f"  again: {self.command}")
        return "\n".join(lines)
