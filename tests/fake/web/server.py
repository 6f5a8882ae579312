#!/usr/bin/env python3
"""Pages for tests of magi-web, on 127.0.0.1.  Writes its port to --port-file and each request's path to --log."""
import argparse, gzip, http.server, os, random, threading, time

parser = argparse.ArgumentParser()
parser.add_argument("--port-file", required=True)
parser.add_argument("--log", required=True)
parser.add_argument("--exit-with", type=int, required=True)
arguments = parser.parse_args()


PIECES = [piece.encode("latin1") for piece in (
    "< > </ div <p> <a=href= \" ' = <!-- --> <table><tr><td> </table> <pre> </pre> &# x10FFFF; &amp <svg> </svg> <script> "
    "</script> \xff \xe2\x82 \xf0\x9f\x98\x80 <![CDATA[ ]]> <select> </select> <option> <li> <ul> </ul> <style> </style> "
    "<title> </title> <math> <br/> <b> </b> <i> </i> <template> </template> <frameset> <body> </body> </html> <form> "
    "<foreignObject> <mi> <button> \x1b[2J \x00 text").split(" ")] + [b" ", b"\n"]


class Handler(http.server.BaseHTTPRequestHandler):
    def log_message(self, *ignored):
        pass

    def give(self, body, kind="text/html; charset=utf-8", status=200, **headers):
        self.send_response(status)
        if kind:
            self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        for name, value in headers.items():
            self.send_header(name.replace("_", "-"), value)
        self.end_headers()
        self.wfile.write(body)

    def do_GET(self):
        with open(arguments.log, "a") as out:
            out.write(self.path + "\n")
        path = self.path.split("?")[0]
        if path.startswith("http://"):  # as a proxy is asked
            path = "/" + path.split("/", 3)[3]
        port = self.server.server_address[1]
        if path == "/page":
            self.give(b"<title>The page</title><h1>Hello</h1><p>See <a href='/next'>next</a>.<script>no</script>")
        elif path == "/gzip":
            self.give(gzip.compress(b"<p>small"), Content_Encoding="gzip")
        elif path == "/bomb":
            self.give(gzip.compress(b"x" * (200 << 20), 1), "text/plain", Content_Encoding="gzip")
        elif path == "/endless":
            self.send_response(200)
            self.send_header("Content-Type", "text/plain")
            self.end_headers()
            while True:
                self.wfile.write(b"y" * 65536)
        elif path == "/slow":
            self.send_response(200)
            self.send_header("Content-Type", "text/plain")
            self.end_headers()
            for _ in range(600):
                self.wfile.write(b"z")
                self.wfile.flush()
                time.sleep(0.1)
        elif path == "/headers":
            self.send_response(200)
            for number in range(90):
                self.send_header("X-%d" % number, "v" * 8000)
            self.end_headers()
        elif path == "/escapes":
            self.give(b"a\x1b]52;c;cm0=\x07b\x1b[2Jc\xc2\x9bd\r\n", "text/plain; charset=utf-8")
        elif path == "/json":
            self.give(b'{"a": 1}', "application/json")
        elif path == "/bytes":
            self.give(b"\x00\x01\x02\xff", "application/octet-stream")
        elif path == "/missing":
            self.give(b"<p>nothing here", status=404)
        elif path == "/long":
            self.give("".join("line %d of a long page\n" % n for n in range(5000)).encode(), "text/plain")
        elif path == "/impossible":  # ends the parser's process
            self.give(b"<p>before<a href=</pre><table><tr><td><svg><select><title><select><table><tr><td>after")
        elif path == "/random":
            dice = random.Random(int(self.path.split("?")[1]))
            self.give(b"".join(dice.choice(PIECES) for _ in range(80)))
        elif path == "/to-page":
            self.give(b"", status=302, Location="page")
        elif path == "/loop":
            self.give(b"", status=301, Location="/loop?x")
        elif path == "/to-file":
            self.give(b"", status=302, Location="file:///etc/passwd")
        elif path == "/to-other":
            self.give(b"", status=302, Location="http://localhost:%d/page" % port)
        elif path == "/to-metadata":
            self.give(b"", status=302, Location="http://169.254.169.254/latest")
        else:
            self.give(b"<p>next page")


def watch():
    while os.path.exists("/proc/%d" % arguments.exit_with):
        time.sleep(0.2)
    os._exit(0)


server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
server.daemon_threads = True
threading.Thread(target=watch, daemon=True).start()
with open(arguments.port_file + ".new", "w") as out:
    out.write(str(server.server_address[1]))
os.rename(arguments.port_file + ".new", arguments.port_file)
server.serve_forever()
