#!/usr/bin/env python3
"""Runs libFuzzer programs one after another and says how many inputs each tried (see `make fuzz`).

  tools/fuzz.py [--time SECONDS] PROGRAM…     to be run in the repository's top folder

Beside the folder of the programs it keeps seeds/ (made anew each time from fixtures/ and scenarios/), corpus/ (what
earlier runs found worth keeping) and crashes/. Exit status: 0 nothing was found, 1 a program found something: the file
that repeats it is named, 2 bad usage or a program that cannot run.
"""
import argparse
import json
import pathlib
import random
import re
import shutil
import subprocess
import sys

INPUT_CEILING = 8192  # bytes of one input
INPUT_SECONDS = 25  # one input that takes longer is a find
SEEDS_CEILING = 400  # for each program


def compact(value):
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def lines_of(folder, pattern):
    return [line for file in sorted(pathlib.Path(folder).glob(pattern)) for line in file.read_text().splitlines()]


def recordings():
    """The steps of each recorded run of a relay: a command and what came out of it."""
    return [json.loads(line)["steps"] for line in lines_of("fixtures/recordings", "mesh-*.jsonl")[::7]]


def frames():
    return [compact(step["msg"]) for steps in recordings() for step in steps if step["do"] == "receive" and "msg" in step]


def session_texts():
    """Recorded sessions, as far as an input goes."""
    sessions = [json.loads(line) for line in lines_of("fixtures/recordings", "mesh-*.jsonl")[::3]]
    texts = [compact({**session, "steps": session["steps"][:count]}) for session in sessions for count in (3, 8, 20)]
    return [text for text in texts if len(text) < INPUT_CEILING]


def encoded(text):
    return text if isinstance(text, bytes) else text.encode("utf-8", "surrogatepass")


def json_texts():
    texts = [file.read_bytes() for file in sorted(pathlib.Path("fixtures").rglob("*.json"))]
    return frames() + texts + lines_of("fixtures/recordings", "fold.jsonl")[:100] + [r'"\ud83d\ude00\u0000\ud83d"', "[1e400,-0.0,1E-7]"]


def control_lines():
    """Recorded runs as the adapter protocol's commands."""
    runs = []
    for steps in recordings():
        lines = ['{"id":0,"do":"start"}']
        for number, step in enumerate(steps, 1):
            command = {key: value for key, value in step.items() if key not in ("out", "msg")}
            if "msg" in step:
                command["text"] = compact(step["msg"])
            lines.append(compact({"id": number, **command}))
        runs.append("\n".join(lines[:20]))
    return runs


def adapter_lines():
    """What an adapter would write: it shakes hands, then answers every command, with recorded events before the reply."""
    start = ['{"id":1,"ok":{"name":"a","version":"1","profiles":["0.2.0"],"can":["options","clock","hydrate","room","commit","hold","unload"]}}',
             '{"id":2,"unsupported":true}']
    runs = []
    for steps in recordings():
        events = [event for step in steps for event in step["out"]]
        lines = start + [compact({"id": number, "ok": True}) for number in range(3, 7)]
        for number in range(7, 20):
            # The player's relay and connections have names of their own.
            for event in events[(number - 7) * 3 : (number - 6) * 3]:
                event = {**event, **({"conn": f"case1-{number % 3 + 1}"} if "conn" in event else {})}
                lines.append(compact({**event, "text": compact(event.pop("msg"))} if "msg" in event else event))
            lines.append(compact({"id": number, "ok": {"seq": 1, "members": 0, "journal": 0} if number == 14 else True}))
        runs.append("\n".join(lines))
    return runs


def server_texts():
    tokens = '{"secret":{"writer":"ana","kind":"agent","claims":{"team":[1]}},"other":{"writer":"ben"}}'
    options = [compact(step["options"]) for steps in recordings() for step in steps if step["do"] == "open" and step.get("options")]
    queries = ["writer=ana&kind=agent&claims={\"a\":1}", "writer=", "a&b=c&writer=x&writer=y"]
    return ["\x00" + tokens] + ["\x01" + text for text in options] + ["\x02" + text for text in queries] + ["\x03" + text for text in frames()[:100]]


def url_texts():
    urls = ["ws://localhost:8080/path?a=b", "wss://[::1]:443", "ws://example.org#x", "wss://a.b/c?writer=x&"]
    principals = ["\x00", "\x07\x04an a\x02\u00e4\x02{}"]
    return [chr(way) + principal + url for way in range(4) for principal in principals for url in urls]


def patterns():
    """Pairs of a pattern and a value: what the scenarios' clients get, against itself, and each operator."""
    operators = ['{"$bind":"x"}', '{"$any":true}', '{"$exactly":{"a":1}}', '{"$unordered":[1,{"$bind":"x"}]}', '{"$contains":"a"}',
                 '{"$type":"array"}', '{"$gt":1}', '{"$regex":"^(a|b)+$"}', '{"$not":null}', '{"$one-of":[1,"ab"]}', '{"$length":2}',
                 '{"$all":[{"$gt":0},{"$lt":9}]}', '{"$json":"{}"}', '{"$repeat":{"text":"a","times":3}}', '{"$nested":{"in":"array","levels":3}}']
    values = ["1", '"ab"', '[1,"a"]', '{"a":1}']
    return [f"{pattern}\n{value}" for pattern in operators for value in values] + [f"{frame}\n{frame}" for frame in frames()[:50]]


def scenario_texts():
    return [file.read_text() for file in sorted(pathlib.Path("scenarios").rglob("*.yaml"))]


def decisions():
    """For the programs that read decisions rather than text: any bytes, the same ones each time."""
    source = random.Random(1)
    return [source.randbytes(length) for length in (50, 200, 800) for _ in range(40)]


HANDSHAKE = ("GET /?writer=ana&kind=agent HTTP/1.1\r\nHost: a\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
             "Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\nSec-WebSocket-Version: 13\r\n")


def post(path, body, more=""):
    return f"POST {path} HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\n{more}Content-Length: {len(body.encode())}\r\n\r\n{body}"


def masked(text):
    """A text as the WebSocket frame of a client, with a mask that changes nothing."""
    length = len(text.encode())
    return (b"\x81" + (bytes([0x80 | length]) if length < 126 else b"\xfe" + length.to_bytes(2, "big")) + bytes(4) + text.encode())


def head_texts():
    """The port, the pieces, and what a client sends to it."""
    ws = [HANDSHAKE + more + "\r\n" for more in ("", "Authorization: Bearer x\r\n", "Sec-WebSocket-Protocol: bearer.abc, b\r\n",
                                               "Sec-WebSocket-Extensions: permessage-deflate; client_max_window_bits\r\n", "Origin: http://a\r\n")]
    frames_behind = [ws[0].encode() + masked(frame) + b"\x88\x82\0\0\0\0\x03\xe8" for frame in frames()[:20] if len(frame) < 60000]
    control = [post("/", line) for run in control_lines()[:5] for line in run.splitlines()[:6]]
    metrics = ["GET /metrics HTTP/1.1\r\nHost: a\r\n\r\n", "HEAD /metrics HTTP/1.0\r\n\r\n", "GET /else HTTP/1.1\r\nHost: a\r\n\r\n"]
    return ([b"\0" + bytes([i % 4]) + encoded(text) for i, text in enumerate(ws + frames_behind)] +
            [b"\x01" + bytes([i % 4]) + encoded(text) for i, text in enumerate(control)] +
            [b"\x02" + bytes([i % 4]) + encoded(text) for i, text in enumerate(metrics + ws[:1])])


def request_texts():
    """How the pieces are cut, and requests to a sync store."""
    bodies = ['{"a":1}', "", "[" * 50]
    chunked = "POST /x HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n4;x=y\r\nWiki\r\n0\r\nTrailer: a\r\n\r\n"
    texts = [post("/sync/apps/a/admin/schemas", body, more) for body in bodies
             for more in ("", "Expect: 100-continue\r\n", "Connection: close\r\n", "Authorization: Bearer s\r\n")]
    texts += [chunked, "GET /a%2Fb/../c?x=%zz HTTP/1.0\r\n\r\n", "GET / HTTP/1.1\nHost: a\n\n", texts[0] + chunked + texts[1]]
    return [bytes([cut]) + encoded(text) for text in texts for cut in (0, 6)]


SEEDS = {
    "relay-scanner": json_texts,
    "relay-control": control_lines,
    "relay-heads": head_texts,
    "relay-rooms_file": decisions,
    "relay-server": server_texts,
    "relay-fold": decisions,
    "relay-registers": decisions,
    "harness-adapter": adapter_lines,
    "harness-matcher": patterns,
    "harness-relay": decisions,
    "harness-generations": decisions,
    "harness-recording": session_texts,
    "harness-scenario": scenario_texts,
    "harness-url": url_texts,
    "store-http": request_texts,
    "store-json": json_texts,
}


def make_seeds(folder, name):
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    texts = [text for text in map(encoded, SEEDS[name]()) if len(text) <= INPUT_CEILING]
    stride = max(1, len(texts) // SEEDS_CEILING)
    for number, text in enumerate(texts[::stride]):
        (folder / f"{number}").write_bytes(text)


def run(program, seconds):
    """The executions, and the text that tells what was found (empty: nothing was)."""
    base = program.parent.parent
    seeds, corpus, crashes = base / "seeds" / program.name, base / "corpus" / program.name, base / "crashes"
    make_seeds(seeds, program.name)
    corpus.mkdir(parents=True, exist_ok=True)
    crashes.mkdir(exist_ok=True)
    command = [str(program), f"-max_total_time={seconds}", f"-max_len={INPUT_CEILING}", f"-timeout={INPUT_SECONDS}", "-print_final_stats=1",
               "-verbosity=1", f"-artifact_prefix={crashes}/{program.name}-", str(corpus), str(seeds)]
    done = subprocess.run(command, stderr=subprocess.PIPE, stdout=subprocess.DEVNULL, text=True, errors="replace", check=False)
    executions = re.search(r"stat::number_of_executed_units: *(\d+)", done.stderr)
    if done.returncode == 0:
        return int(executions[1]) if executions else 0, ""
    # What went before the find is of no use; what the program said of it is.
    told = [line for line in done.stderr.splitlines() if not re.match(r"#\d+|stat::|\s+NEW_FUNC|INFO:", line)]
    saved = re.search(r"Test unit written to (\S+)", done.stderr)
    repeat = f"\n  to repeat it: {program} {saved[1]}" if saved else ""
    return int(executions[1]) if executions else 0, "\n".join(told[-60:]) + repeat


def main():
    parser = argparse.ArgumentParser(description="Runs libFuzzer programs, with seeds from fixtures/ and scenarios/.")
    parser.add_argument("--time", type=int, default=10, help="seconds for each program (default 10)")
    parser.add_argument("programs", nargs="+", type=pathlib.Path)
    asked = parser.parse_args()
    if asked.time < 1:
        parser.error("--time must be at least 1")
    total, finds = 0, 0
    for program in asked.programs:
        if not program.exists():
            parser.error(f"there is no program {program}")
        executions, told = run(program, asked.time)
        total += executions
        finds += told != ""
        print(f"  {program.name:20} {executions:>12,} executions{'' if not told else '   FOUND SOMETHING'}", flush=True)
        if told:
            print("    " + told.replace("\n", "\n    "), flush=True)
    print(f"  {'all':20} {total:>12,} executions, {finds} of {len(asked.programs)} programs found something")
    return 1 if finds else 0


if __name__ == "__main__":
    sys.exit(main())
