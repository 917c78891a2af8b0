"""Local HTTP servers for the provisioner tests: recorded answers, given texts, and a small store that keeps what it gets."""
import hashlib
import json
import threading
import uuid
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


class Server(ThreadingHTTPServer):
    daemon_threads = True

    def handle_error(self, request, client_address):
        """A client that hung up is what some tests are about."""


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

    server = Server(("127.0.0.1", 0), Handler)
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


def hash_of(text):
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


class Deployed:
    """A store with these texts as schema and permissions, answered as they are. What is posted is kept as text."""

    def __init__(self, tables=None, permissions="{}"):
        self.schemas = {}
        self.permissions = permissions
        self.head = None
        self.posted = []
        self.connected = set()
        if tables is not None:
            self.head = {"schemaHash": self.add_schema(f'{{"schema":{tables}}}'), "version": 1, "parentBundleObjectId": None}
            self.head["bundleObjectId"] = str(uuid.uuid4())

    def add_schema(self, body):
        self.schemas[hash_of(body)] = body
        return hash_of(body)

    def bodies(self, path):
        return [body for asked, body in self.posted if asked == path]

    def __call__(self, request):
        path = request.target.split("/apps/", 1)[1].split("/", 1)[1].split("?")[0]
        if request.method == "GET":
            return self.get(path, request.target)
        self.posted.append((path, request.body_text))
        return self.post(path, request.body_text)

    def get(self, path, target):
        if path == "schemas":
            return 200, json.dumps({"hashes": list(self.schemas)})
        if path == "admin/permissions":
            permissions = self.permissions if self.head else "null"
            return 200, f'{{"head":{json.dumps(self.head)},"permissions":{permissions}}}'
        if path.startswith("schema/"):
            return 200, self.schemas[path.removeprefix("schema/")][:-1] + ',"publishedAt":null}'
        return 200, json.dumps({"connected": target.split("?")[1] in self.connected})

    def post(self, path, body):
        if path == "admin/schemas":
            return 201, json.dumps({"objectId": str(uuid.uuid4()), "hash": self.add_schema(body)})
        parsed = json.loads(body)
        if path == "admin/migrations":
            self.connected.add(f"fromHash={parsed['fromHash']}&toHash={parsed['toHash']}")
            return 201, json.dumps({"objectId": str(uuid.uuid4()), "fromHash": parsed["fromHash"], "toHash": parsed["toHash"]})
        if parsed["expectedParentBundleObjectId"] != (self.head or {}).get("bundleObjectId"):
            return 409, json.dumps({"error": "stale parent", "code": "bad_request"})
        self.permissions = body[body.index('"permissions":') + 14 : body.rindex(',"expectedParentBundleObjectId"')]
        version = self.head["version"] + 1 if self.head else 1
        self.head = {"schemaHash": parsed["schemaHash"], "version": version, "bundleObjectId": str(uuid.uuid4())}
        self.head["parentBundleObjectId"] = parsed["expectedParentBundleObjectId"]
        return 201, json.dumps({"head": self.head})
