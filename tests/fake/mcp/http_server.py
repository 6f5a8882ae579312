#!/usr/bin/env python3
"""An MCP server over streamable HTTP on 127.0.0.1, for tests.  Writes its port to --port-file and each request to --log as
"METHOD STATUS SESSION RPC-METHOD".  --mode: json, sse (answers as events), busy (the first two calls are refused with 429
and Retry-After: 1), overloaded (503 without Retry-After, once), patient (429 and Retry-After: 3600), expire (the session is
forgotten before the first call), resume (the answer to a call breaks off and is given to who asks for the rest), denied,
moved, huge, broken.
"""
import argparse, http.server, json, os, threading, time

parser = argparse.ArgumentParser()
parser.add_argument("--port-file", required=True)
parser.add_argument("--log", required=True)
parser.add_argument("--mode", default="json")
parser.add_argument("--exit-with", type=int)
arguments = parser.parse_args()
state = {"sessions": 0, "calls": 0, "pending": None}

TOOLS = [{"name": "echo", "description": "says it back", "annotations": {"readOnlyHint": True},
          "inputSchema": {"type": "object", "properties": {"text": {"type": "string"}}, "required": ["text"]}}]


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *ignored):
        pass

    def note(self, status, rpc=""):
        with open(arguments.log, "a") as out:
            out.write("%s %d %s %s %s\n" % (self.command, status, self.headers.get("Mcp-Session-Id", "-"), rpc or "-",
                                            self.headers.get("Authorization", "-")))

    def plain(self, status, body=b"", rpc="", **headers):
        self.note(status, rpc)
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name.replace("_", "-"), value)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def events(self, messages, rpc, cut=False, **headers):
        self.note(200, rpc)
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream")
        for name, value in headers.items():
            self.send_header(name.replace("_", "-"), value)
        self.send_header("Transfer-Encoding", "chunked")
        self.end_headers()
        body = "".join("id: %d\nevent: message\ndata: %s\n\n" % (at, json.dumps(one)) for at, one in enumerate(messages))
        body = (": hello\n\n" + body).encode()
        self.wfile.write(b"%x\r\n%s\r\n0\r\n\r\n" % (len(body), body))

    def do_POST(self):
        request = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        method, number = request.get("method", ""), request.get("id")
        if arguments.mode == "denied":
            return self.plain(401, b"who are you", rpc=method)
        if arguments.mode == "moved":
            return self.plain(307, rpc=method, Location="http://127.0.0.1:1/elsewhere")
        if number is None:
            return self.plain(202, rpc=method)
        if method == "initialize":
            state["sessions"] += 1
            headers = {"Mcp_Session_Id": "s%d" % state["sessions"]}
            result = {"protocolVersion": "2025-06-18", "capabilities": {"tools": {}},
                      "serverInfo": {"name": "http", "version": "2"}}
        elif method == "tools/list":
            headers, result = {}, {"tools": TOOLS}
        else:
            headers = {}
            result = {"content": [{"type": "text", "text": request["params"].get("arguments", {}).get("text", "")}]}
        if method == "tools/call":
            state["calls"] += 1
            if arguments.mode == "busy" and state["calls"] <= 2:
                return self.plain(429, b"slow down", rpc=method, Retry_After="1")
            if arguments.mode == "overloaded" and state["calls"] == 1:
                return self.plain(503, rpc=method)
            if arguments.mode == "patient":
                return self.plain(429, rpc=method, Retry_After="3600")
            if arguments.mode == "expire" and state["calls"] == 1:
                return self.plain(404, rpc=method)
            if arguments.mode == "broken":
                return self.plain(500, b"<html>oops</html>", rpc=method)
            if arguments.mode == "huge":
                result = {"content": [{"type": "text", "text": "x" * (40 << 20)}]}
        message = {"jsonrpc": "2.0", "id": number, "result": result}
        if arguments.mode == "resume" and method == "tools/call":
            state["pending"] = message
            noise = {"jsonrpc": "2.0", "method": "notifications/message", "params": {"data": "first half"}}
            return self.events([noise], method)
        if arguments.mode in ("sse", "resume"):
            noise = {"jsonrpc": "2.0", "method": "notifications/message", "params": {"data": "noise"}}
            return self.events([noise, message], method, **headers)
        self.plain(200, json.dumps(message).encode(), rpc=method, Content_Type="application/json", **headers)

    def do_GET(self):
        if state["pending"] and self.headers.get("Last-Event-ID") is not None:
            message, state["pending"] = state["pending"], None
            return self.events([message], "resumed-after-" + self.headers["Last-Event-ID"])
        self.plain(405)

    def do_DELETE(self):
        self.plain(200)


def watch():
    while os.path.exists("/proc/%d" % arguments.exit_with):
        time.sleep(0.2)
    os._exit(0)


server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
if arguments.exit_with:
    threading.Thread(target=watch, daemon=True).start()
with open(arguments.port_file + ".new", "w") as out:
    out.write(str(server.server_address[1]))
os.rename(arguments.port_file + ".new", arguments.port_file)
server.serve_forever()
