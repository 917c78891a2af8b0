"""Relays behind wss://: judged like any other, and every fault of a certificate told in words."""
import os
import pathlib
import subprocess
import sys

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "relay-ref" / "tests"))

from certificates import Authority  # noqa: E402

BUILD = ROOT / os.environ.get("MESHSPEC_BUILD", "build")


@pytest.fixture(scope="module")
def authority(tmp_path_factory):
    return Authority(tmp_path_factory.mktemp("authority"))


@pytest.fixture(scope="module")
def issued(authority):
    """(certificate, key) by what is to be said of it."""
    return {"good": authority.issue("good"),
            "expired": authority.issue("expired", start="200101000000Z", end="200102000000Z"),
            "early": authority.issue("early", start="400101000000Z", end="400102000000Z"),
            "elsewhere": authority.issue("elsewhere", names="DNS:elsewhere.example"),
            "name only": authority.issue("name only", names="DNS:localhost"),
            "address only": authority.issue("address only", names="IP:127.0.0.1")}


def run(*arguments, limit=100):
    ran = subprocess.run([BUILD / "meshspec", "run", *map(str, arguments)], cwd=ROOT, capture_output=True, text=True, timeout=limit, check=False)
    return ran.returncode, ran.stdout + ran.stderr


def first_scenario():
    return str(sorted((ROOT / "scenarios" / "join").glob("*.yaml"))[0].relative_to(ROOT))


def spawn(pair, *more):
    certificate, key = pair
    return " ".join(map(str, [BUILD / "meshspec-relay", "--port", 0, "--cert", f"'{certificate}'", "--key", f"'{key}'", *more]))


def test_a_profile_over_tls(authority, issued):
    code, said = run("--spawn", spawn(issued["good"], "--control", 0), "--ca", authority.certificate, "--only", "join/*")
    assert code == 0 and " 0 failed, 0 skipped, 0 errors" in said, said[-2000:]


@pytest.mark.parametrize("which, host, words", [
    ("good", "127.0.0.1", None), ("good", "localhost", None), ("name only", "localhost", None), ("address only", "127.0.0.1", None),
    ("expired", "127.0.0.1", "certificate has expired"), ("early", "127.0.0.1", "certificate is not yet valid"),
    ("elsewhere", "127.0.0.1", "mismatch"), ("elsewhere", "localhost", "mismatch"), ("name only", "127.0.0.1", "mismatch"),
    ("address only", "localhost", "mismatch")])
def test_what_a_certificate_must_be(authority, issued, which, host, words):
    code, said = run("--spawn", spawn(issued[which], "--host", host), "--ca", authority.certificate, first_scenario())
    if words is None:
        assert code == 0, said
    else:
        assert code == 3 and "certificate is not trusted: " in said and words in said, said
        code, said = run("--spawn", spawn(issued[which], "--host", host), "--insecure", first_scenario())
        assert code == 0, said


def test_an_unknown_authority(issued):
    code, said = run("--spawn", spawn(issued["good"]), first_scenario())
    assert code == 3 and "certificate is not trusted: unable to get local issuer certificate" in said, said


def test_the_line_that_repeats_a_case_names_what_was_trusted(authority, issued):
    _, said = run("--spawn", spawn(issued["expired"]), "--ca", authority.certificate, first_scenario())
    assert f"--ca {authority.certificate}" in said


# ---- said by a file ----


def write(path, text):
    path.write_text(text)
    return path


@pytest.fixture
def beside(authority, tmp_path):
    """A folder with the authority's certificate in it."""
    write(tmp_path / "authority.pem", pathlib.Path(authority.certificate).read_text())
    return tmp_path


def test_a_target_file_says_whom_to_trust(issued, beside):
    target = write(beside / "target.yaml", f'spawn: "{spawn(issued["good"])}"\nca: authority.pem\n')
    code, said = run("--target", target, first_scenario())
    assert code == 0, said
    code, said = run("--target", target, "--spawn", spawn(issued["good"]), first_scenario())
    assert code == 3 and "unable to get local issuer certificate" in said, said


def test_a_target_file_trusts_everybody(issued, beside):
    target = write(beside / "target.yaml", f'spawn: "{spawn(issued["expired"])}"\ninsecure: true\n')
    code, said = run("--target", target, first_scenario())
    assert code == 0, said


def test_the_command_line_goes_before_a_target_file(authority, issued, beside):
    target = write(beside / "target.yaml", f'spawn: "{spawn(issued["expired"])}"\ninsecure: true\n')
    code, said = run("--target", target, "--ca", authority.certificate, first_scenario())
    assert code == 3 and "certificate has expired" in said, said
    target = write(beside / "target.yaml", f'spawn: "{spawn(issued["expired"])}"\nca: authority.pem\n')
    code, said = run("--target", target, "--insecure", first_scenario())
    assert code == 0, said


def test_a_target_file_whose_relay_speaks_no_tls(beside):
    target = write(beside / "target.yaml", f'spawn: "{BUILD}/meshspec-relay --port 0"\nca: authority.pem\n')
    code, said = run("--target", target, first_scenario())
    assert code == 2 and "for relays behind wss://" in said, said


def test_columns_say_whom_to_trust(issued, beside):
    def column(name, pair, trust):
        return f'  - {{name: {name}, spawn: "{spawn(issued[pair])}"{trust}}}\n'

    def judge(file):
        ran = subprocess.run([BUILD / "meshspec", "matrix", file, "--only", "join/delta"], cwd=ROOT, capture_output=True, text=True, timeout=100, check=False)
        return ran.returncode, ran.stdout + ran.stderr

    both = column("known", "good", ", ca: authority.pem") + column("any", "expired", ", insecure: true")
    code, said = judge(write(beside / "trusting.yaml", f"columns:\n{both}"))
    assert code == 0 and " 0 failed" in said, said
    code, said = judge(write(beside / "strict.yaml", f"columns:\n{column('nobody', 'good', '')}"))
    assert code == 3 and "unable to get local issuer certificate" in said, said


def start(*flags):
    process = subprocess.Popen([BUILD / "meshspec-relay", "--port", "0", *map(str, flags)], stdout=subprocess.PIPE, text=True)
    return process, process.stdout.readline().split()[1]


def test_the_wrong_port(authority, issued):
    certificate, key = issued["good"]
    secure, url = start("--cert", certificate, "--key", key)
    code, said = run("--target", url.replace("wss:", "ws:"), first_scenario())
    assert code == 3 and "HTTP status 400" in said, said
    secure.terminate()
    plain, url = start()
    code, said = run("--target", url.replace("ws:", "wss:"), "--insecure", first_scenario())
    assert code == 3 and "does not speak TLS" in said, said
    plain.terminate()
    assert (secure.wait(20), plain.wait(20)) == (0, 0)


@pytest.mark.parametrize("arguments, words", [
    (["--target", "wss://127.0.0.1:1/", "--ca", "no/such/file"], "--ca: no/such/file: No such file"),
    (["--target", "wss://127.0.0.1:1/", "--ca", "README.md"], "no certificate in PEM form"),
    (["--target", "wss://127.0.0.1:1/", "--ca", "README.md", "--insecure"], "only one of them"),
    (["--target", "ws://127.0.0.1:1/", "--insecure"], "wss://"), (["--target", "memory", "--insecure"], "wss://"),
    (["--target", "store", "--ca", "README.md"], "wss://")])
def test_what_cannot_be_meant_is_exit_2(arguments, words):
    code, said = run(*arguments)
    assert code == 2 and words in said, said
