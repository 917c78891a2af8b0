"""Local HTTP servers for the provisioner tests: one that answers as recorded, and one made of plain functions."""
import json
import threading
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


class Request:
    """One request as it came in."""

    def __init__(self, handler, body):
        self.method = handler.command
        self.target = handler.path
        self.headers = handler.headers
        self.body_bytes = body

    @property
    def body_text(self):
        return self.body_bytes.decode("utf-8")


@contextmanager
def serving(answer):
    """Serves `answer(request) -> (status, body text or bytes, headers)` on a free port; gives the URL and the list of requests."""
    requests = []

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        disable_nagle_algorithm = True

        def handle_any(self):
            request = Request(self, self.rfile.read(int(self.headers.get("Content-Length") or 0)))
            requests.append(request)
            status, body, *headers = answer(request)
            if isinstance(body, str):
                body = body.encode("utf-8", "surrogatepass")
            self.send_response(status)
            for name, value in headers[0].items() if headers else []:
                self.send_header(name, value)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        do_GET = do_POST = handle_any

        def log_message(self, *_):
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}", requests
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


class Recorded:
    """Answers the n-th request with the n-th recorded answer."""

    def __init__(self, exchanges):
        self.answers = [exchange["response"] for exchange in exchanges]
        self.asked = 0

    def __call__(self, _request):
        if self.asked >= len(self.answers):
            return 599, json.dumps({"error": "the recording has no further request here", "code": "internal"})
        response = self.answers[self.asked]
        self.asked += 1
        return response["status"], response["text"]
