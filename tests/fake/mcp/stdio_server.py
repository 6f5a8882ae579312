#!/usr/bin/env python3
"""An MCP server over standard streams, for tests: well-behaved by default, or one of the misbehaviours of --mode.

Tools: echo {text}, env {}, slow {seconds}, image {}, structured {}, fail {}, roots {}, die {}, hang {}, flood {}, liar {},
junk {}, wrong {}, count {}.  Every call is appended to --log, one line each; so is every notification that was sent to us.
"""
import argparse, base64, json, os, sys, time

parser = argparse.ArgumentParser()
parser.add_argument("--log")
parser.add_argument("--mode", default="good")  # good, no-start, silent, bad-list, many, die-at-start, new-version
parser.add_argument("--pages", type=int, default=1)
parser.add_argument("--extra", default="")  # name of one more tool
arguments = parser.parse_args()

PIXEL = base64.b64encode(
    base64.b64decode("iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg==")
).decode()


def log(line):
    if arguments.log:
        with open(arguments.log, "a") as out:
            out.write(line + "\n")


def send(message):
    sys.stdout.write(json.dumps(message) + "\n")
    sys.stdout.flush()


def answer(request, result):
    send({"jsonrpc": "2.0", "id": request["id"], "result": result})


def text(value):
    return {"content": [{"type": "text", "text": value}]}


def tool(name, properties=None, required=None, **more):
    return {
        "name": name,
        "description": "Test tool " + name,
        "inputSchema": {"type": "object", "properties": properties or {}, "required": required or []},
        **more,
    }


def tools():
    known = [
        tool("echo", {"text": {"type": "string"}}, ["text"], annotations={"readOnlyHint": True}),
        tool("slow", {"seconds": {"type": "number"}}),
    ] + [
        tool(name)
        for name in "env image structured fail roots die hang flood liar junk wrong count lines".split()
    ]
    if arguments.extra:
        known.append(tool(arguments.extra))
    if arguments.mode == "many":
        known += [tool("t%03d" % number) for number in range(500)]
    if arguments.mode == "bad-list":
        known += [
            {"name": "x" * 5000, "inputSchema": {"type": "object"}},
            {"description": "no name"},
            {"name": "bad schema", "inputSchema": 7},
            {"name": "big", "inputSchema": {"type": "object", "description": "y" * 100000}},
            tool("echo"),
            tool("weird name/ü"),
            tool("long_" + "z" * 100),
        ]
    return known


def call(request):
    name = request["params"]["name"]
    given = request["params"].get("arguments", {})
    log("call " + name)
    if name == "echo":
        answer(request, text(given.get("text", "")))
    elif name == "env":
        answer(request, text("\n".join(sorted(k + "=" + v for k, v in os.environ.items()))))
    elif name == "slow":
        token = request["params"].get("_meta", {}).get("progressToken")
        for step in range(3):
            send({"jsonrpc": "2.0", "method": "notifications/progress",
                  "params": {"progressToken": token, "progress": step, "total": 3, "message": "step %d" % step}})
            time.sleep(given.get("seconds", 0.3) / 3)
        answer(request, text("slept"))
    elif name == "image":
        answer(request, {"content": [
            {"type": "text", "text": "a pixel"},
            {"type": "image", "data": PIXEL, "mimeType": "image/png"},
            {"type": "resource", "resource": {"uri": "file:///a.txt", "mimeType": "text/plain", "text": "inside"}},
            {"type": "resource", "resource": {"uri": "file:///b.bin", "mimeType": "application/x", "blob": "AAAA"}},
            {"type": "resource_link", "uri": "file:///c", "name": "c"},
            {"type": "audio", "data": "AAAA", "mimeType": "audio/wav"},
        ]})
    elif name == "structured":
        answer(request, {"content": [], "structuredContent": {"temperature": 21, "unit": "C"}})
    elif name == "fail":
        answer(request, {"content": [{"type": "text", "text": "it cannot be done"}], "isError": True})
    elif name == "roots":
        send({"jsonrpc": "2.0", "id": "r1", "method": "roots/list"})
        send({"jsonrpc": "2.0", "id": "r2", "method": "sampling/createMessage", "params": {}})
        got = [json.loads(sys.stdin.readline()) for _ in range(2)]
        answer(request, text(json.dumps(got)))
    elif name == "die":
        sys.stderr.write("about to die\n")
        sys.stderr.flush()
        os._exit(9)
    elif name == "hang":
        time.sleep(600)
    elif name == "flood":
        while True:
            sys.stdout.write("x" * 65536)
    elif name == "lines":
        while True:
            sys.stdout.write('{"jsonrpc":"2.0","method":"notifications/message","params":{"data":"noise"}}\n' * 100)
    elif name == "liar":
        send({"jsonrpc": "2.0", "id": 99999, "result": text("not yours")})
        send({"jsonrpc": "2.0", "id": "1", "result": text("nor this")})
        send({"jsonrpc": "1.0", "id": request["id"], "result": text("nor that")})
        answer(request, text("the truth"))
    elif name == "junk":
        sys.stdout.write("this is no JSON\n{\"jsonrpc\":\n[]\n\n")
        answer(request, text("after junk"))
    elif name == "wrong":
        answer(request, {"something": "else"})
    elif name == "count":
        answer(request, text(str(os.getpid())))
    else:
        answer(request, text("called " + name))


if arguments.mode == "no-start":
    sys.exit("cannot start: no licence")
if arguments.mode == "die-at-start":
    log("start")
    os._exit(3)
log("start")
for line in sys.stdin:
    request = json.loads(line)
    method = request.get("method", "")
    if arguments.mode == "silent":
        continue
    if method == "initialize":
        version = "2199-01-01" if arguments.mode == "new-version" else request["params"]["protocolVersion"]
        answer(request, {"protocolVersion": version, "capabilities": {"tools": {"listChanged": True}},
                         "serverInfo": {"name": "fake", "version": "1"}})
    elif method == "tools/list":
        everything = tools()
        size = -(-len(everything) // arguments.pages)
        page = int(request.get("params", {}).get("cursor", "0"))
        result = {"tools": everything[page * size:(page + 1) * size]}
        if (page + 1) * size < len(everything):
            result["nextCursor"] = str(page + 1)
        answer(request, result)
    elif method == "tools/call":
        call(request)
    elif method == "ping":
        answer(request, {})
    elif method.startswith("notifications/"):
        log(method)
log("end")
