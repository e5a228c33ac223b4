"""A hand-written stdio server that misbehaves in one chosen way; standard library only, so it starts fast.

`python rude.py WAY [MARK]`: MARK only makes the process findable.
"""

import json
import os
import signal
import subprocess
import sys
import time

WAY = sys.argv[1]
GOOD = {"name": "good", "inputSchema": {"type": "object"}}
ALSO_GOOD = {"name": "also_good", "description": "fine", "inputSchema": {"type": "object"}}
STATE = {"lists": 0}


def send(message):
    sys.stdout.write((message if isinstance(message, str) else json.dumps(message)) + "\n")
    sys.stdout.flush()


def answer(request, result):
    send({"jsonrpc": "2.0", "id": request["id"], "result": result})


def answer_in_text(request, tools):
    send(f'{{"jsonrpc":"2.0","id":{request["id"]},"result":{{"tools":{tools}}}}}')


def refuse(request, code, message):
    send({"jsonrpc": "2.0", "id": request["id"], "error": {"code": code, "message": message}})


def sleep_for_ever():
    while True:
        time.sleep(1)


def nested(depth):
    value = {"type": "string"}
    for _ in range(depth):
        value = {"type": "object", "properties": {"a": value}}
    return value


def flood_lines(request):
    while True:
        send(
            {
                "jsonrpc": "2.0",
                "method": "notifications/message",
                "params": {"level": "info", "data": "x" * 900},
            }
        )


def flood(request):
    while True:
        sys.stdout.write("x" * 100_000)


def flood_errors(request):
    line = "e" * 99 + "\n"
    for _ in range(20_000):
        sys.stderr.write(line)
    listed([GOOD])(request)


def listed(tools, **more):
    return lambda request: answer(request, {"tools": tools, **more})


def repeated_cursor(request):
    answer(request, {"tools": [GOOD], "nextCursor": "again"})


def fresh_cursors(request):
    STATE["lists"] += 1
    tool = GOOD | {"name": f"tool_{STATE['lists']}"}
    answer(request, {"tools": [tool], "nextCursor": str(STATE["lists"])})


def die_half_way(request):
    if STATE["lists"]:
        os._exit(3)
    STATE["lists"] += 1
    answer(request, {"tools": [GOOD, ALSO_GOOD], "nextCursor": "2"})


def die_at_second_list(request):
    if STATE["lists"]:
        os._exit(3)
    STATE["lists"] += 1
    answer(request, {"tools": [GOOD]})


def die_after_list(request):
    answer(request, {"tools": [GOOD]})
    os._exit(0)


def hang_half_way(request):
    if STATE["lists"]:
        sleep_for_ever()
    STATE["lists"] += 1
    answer(request, {"tools": [GOOD], "nextCursor": "2"})


def die_in_a_message(request):
    sys.stdout.write(f'{{"jsonrpc":"2.0","id":{request["id"]},"result":{{"tools":[{{"na')
    sys.stdout.flush()
    os._exit(0)


def echo(request):
    secret = os.environ["API_TOKEN"]
    tool = {
        "name": "leaky",
        "description": f"uses {secret}",
        "inputSchema": {"type": "object", "default": secret},
    }
    answer(request, {"tools": [GOOD, tool], "x-env": secret})


def echo_error(request):
    refuse(request, -32603, "x" * 480 + " " + os.environ["API_TOKEN"] + " is not valid")


def echo_and_die(request):
    sys.stderr.write(f"fatal: bad token {os.environ['API_TOKEN']}\n")
    sys.stderr.flush()
    os._exit(7)


def huge(request):
    answer(request, {"tools": [GOOD | {"description": "d" * 20_000_000}]})


def abyss(request):
    answer_in_text(request, "[" * 200_000 + "]" * 200_000)


def unusual(request):
    tools = [
        json.dumps(GOOD),
        '{"name":"cut_emoji","description":"\\ud83d","inputSchema":{}}',
        '{"name":"not_a_number","inputSchema":{"maximum":NaN}}',
        f'{{"name":"deeper_than_the_sdk_reads","inputSchema":{json.dumps(nested(150))}}}',
        json.dumps(ALSO_GOOD),
    ]
    answer_in_text(request, f"[{','.join(tools)}]")


MALFORMED = [
    GOOD,
    {"name": "no_schema"},
    {"name": "schema_is_text", "inputSchema": "object"},
    {"inputSchema": {"type": "object"}},
    "not even an object",
    {"name": "prose_is_a_number", "description": 5, "inputSchema": {"type": "object"}},
    {"name": "control\u0007name", "inputSchema": {}},
    GOOD,
    {"name": "big", "description": "b" * 1_000_001, "inputSchema": {}},
    ALSO_GOOD,
]
UNKNOWN_FIELDS = {
    "x-first": 1,
    "name": "odd",
    "inputSchema": {"type": "object", "x-in-schema": {"z": 1, "a": 2}},
    "annotations": {"x-ann": True},
    "maximum": 123456789012345678901234567890,
    "ratio": 1.0,
}

LISTS = {
    "hang_at_list": lambda request: sleep_for_ever(),
    "flood": flood,
    "flood_lines": flood_lines,
    "flood_errors": flood_errors,
    "die_half_way": die_half_way,
    "die_after_list": die_after_list,
    "die_at_second_list": die_at_second_list,
    "hang_half_way": hang_half_way,
    "die_in_a_message": die_in_a_message,
    "repeated_cursor": repeated_cursor,
    "fresh_cursors": fresh_cursors,
    "malformed": listed(MALFORMED),
    "unknown_fields": listed([UNKNOWN_FIELDS], **{"x-list": "kept out of the tools"}),
    "too_many": listed([GOOD | {"name": f"t{number}"} for number in range(10_001)]) if WAY == "too_many" else None,
    "wordy": listed([GOOD | {"name": f"t{number}", "description": "d" * 9_000} for number in range(600)]),
    "newer": listed([UNKNOWN_FIELDS, {"name": "no_schema"}]),
    "huge": huge,
    "deep": listed([GOOD, {"name": "deep", "inputSchema": nested(40)}, ALSO_GOOD]),
    "abyss": abyss,
    "unusual": unusual,
    "echo": echo,
    "echo_error": echo_error,
    "echo_and_die": echo_and_die,
    "empty": listed([]),
    "only_rubbish": listed([{"name": "no_schema"}]),
    "not_a_list": listed({"good": GOOD}),
    "array_result": lambda request: answer(request, [GOOD]),
    "bad_cursor": listed([GOOD], nextCursor=7),
    "no_tools": lambda request: refuse(request, -32601, "Method not found"),
}
CAPABILITIES = {
    "no_tools": {"prompts": {}},
    "prompts_fail": {"tools": {}, "prompts": {}, "resources": {}},
    "prompts_hang": {"tools": {}, "prompts": {}},
    "cries_change": {"tools": {"listChanged": True}},
}


def handle(request):
    method = request.get("method")
    if method == "server/discover":
        if WAY == "only_initialize":
            os._exit(1)
        if WAY == "newer":
            about = {"supportedVersions": ["2026-07-28"], "capabilities": {"tools": {}}, "ttlMs": -1}
            answer(request, about | {"resultType": "complete", "cacheScope": "public", "x-about": 1})
        else:
            refuse(request, -32601, "Method not found")
    elif method == "initialize":
        result = {
            "protocolVersion": "1999-01-01" if WAY == "old_protocol" else "2025-11-25",
            "capabilities": CAPABILITIES.get(WAY, {"tools": {}}),
            "serverInfo": {"name": "rude", "version": "0", "x-info": "kept"},
        }
        answer(request, result)
    elif method == "tools/list":
        (LISTS.get(WAY) or listed([GOOD]))(request)
        if WAY == "cries_change":
            send({"jsonrpc": "2.0", "method": "notifications/tools/list_changed"})
    elif method == "prompts/list":
        sleep_for_ever() if WAY == "prompts_hang" else refuse(request, -32603, "prompts are broken")
    elif "id" in request:
        refuse(request, -32601, "Method not found")


def main():
    if WAY == "die_at_start":
        sys.stderr.write("Traceback: no module named nothing\n")
        sys.exit(1)
    if WAY == "deaf":
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
    if WAY in ("deaf", "leaves_a_child"):
        # the child inherits our pipes and, being in our group, must go with us
        subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)", *sys.argv[2:]])
    if WAY in ("deaf", "hang_at_handshake"):
        sleep_for_ever()
    if WAY == "banner":
        sys.stdout.write("Welcome!\n{not json}\n\n")
    for line in sys.stdin:
        if WAY == "garbage":
            send("%PDF-1.7 " + line[:5])
        elif WAY == "much_garbage":
            for _ in range(100):
                send("[1] starting up")
        else:
            handle(json.loads(line))


main()
