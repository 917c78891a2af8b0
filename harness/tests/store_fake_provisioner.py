"""A provisioner that misbehaves on purpose: store_fake_provisioner.py OURS FAULT. What it does right it leaves to OURS."""
import json
import os
import signal
import subprocess
import sys
import time
import urllib.error
import urllib.request

ours, fault = sys.argv[1:]
request = json.load(sys.stdin)
secret = request["target"]["adminSecret"]
print("a line on standard error", file=sys.stderr)


def answer(value):
    print(json.dumps(value), flush=True)


def right_answer():
    ran = subprocess.run([ours, "--stdio"], input=json.dumps(request), capture_output=True, text=True, check=True)
    return json.loads(ran.stdout)


if fault == "no-json":
    print("all is well")
elif fault == "two-answers":
    twice = right_answer()
    print(json.dumps(twice) + "\n" + json.dumps(twice), flush=True)
elif fault == "neither":
    answer({"status": "created"})
elif fault == "silent":
    pass
elif fault == "crashes":
    os.kill(os.getpid(), signal.SIGKILL)
elif fault == "wrong-state":
    answer({"result": {"state": "ok", "headHash": "0" * 64}})
elif fault == "refuses":
    answer({"error": {"code": "http", "message": "no"}})
elif fault == "hangs":
    time.sleep(60)
elif fault == "lingers":
    answer(right_answer())
    time.sleep(60)
elif fault == "secret-in-answer":
    answer({**right_answer(), "debug": f"used {secret}"})
elif fault == "secret-on-stderr":
    print("the secret is", secret, file=sys.stderr)
    answer(right_answer())
elif fault == "secret-in-url":
    try:
        urllib.request.urlopen(f"{request['target']['url']}/apps/{request['target']['appId']}/schemas?secret={secret}")
    except urllib.error.HTTPError:
        pass
    answer(right_answer())
