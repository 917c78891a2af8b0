"""A WebSocket client on a bare socket, for tests that must send what no library would: half frames, bad UTF-8, resets."""
import base64
import hashlib
import json
import os
import socket
import ssl
import struct
import urllib.parse

TEXT, BINARY, CONTINUATION, CLOSE, PING, PONG = 1, 2, 0, 8, 9, 10
LIMIT_SECONDS = float(os.environ.get("MESHSPEC_TEST_SECONDS", "20"))  # turns a hang into a failure


def any_certificate():
    """Speaks TLS with whoever it is."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
    return context


class Refused(Exception):
    """The handshake was answered with something else than 101."""

    def __init__(self, status, body):
        super().__init__(f"HTTP {status}: {body}")
        self.status, self.body = status, body


class Closed(Exception):
    """The connection ended; `code` is None when no close frame came."""

    def __init__(self, code, reason):
        super().__init__(f"closed {code} {reason}")
        self.code, self.reason = code, reason


def frame(payload, opcode=TEXT, final=True, announced=None):
    """One masked frame. `announced` is the length in the header, when it is not the payload's."""
    payload = payload.encode() if isinstance(payload, str) else payload
    length = len(payload) if announced is None else announced
    head = bytes([opcode | (0x80 if final else 0)])
    if length < 126:
        head += bytes([0x80 | length])
    elif length < 65536:
        head += bytes([0x80 | 126]) + struct.pack("!H", length)
    else:
        head += bytes([0x80 | 127]) + struct.pack("!Q", length)
    mask = os.urandom(4)
    key = int.from_bytes(mask * (len(payload) // 4 + 1), "big") >> (8 * (4 - len(payload) % 4))
    return head + mask + (int.from_bytes(payload, "big") ^ key).to_bytes(len(payload), "big")


class WebSocket:
    """Opens a WebSocket to 127.0.0.1:`port` as the principal in `query`; `behind` follows the request in the same packet."""

    def __init__(self, port, query=None, path="/", headers=(), behind=b"", receive_buffer=None, source=None, tls=None):
        self.socket = socket.socket()
        self.socket.settimeout(LIMIT_SECONDS)
        if receive_buffer:
            self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, receive_buffer)
        if source:
            self.socket.bind((source, 0))
        self.socket.connect(("127.0.0.1", port))
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        if tls:
            self.socket = tls.wrap_socket(self.socket, server_hostname="localhost")
        self.buffer = bytearray()
        self.headers = {}
        key = base64.b64encode(os.urandom(16)).decode()
        target = path + ("?" + urllib.parse.urlencode(query, quote_via=urllib.parse.quote) if query else "")
        lines = [f"GET {target} HTTP/1.1", "Host: 127.0.0.1", "Upgrade: websocket", "Connection: Upgrade",
                 f"Sec-WebSocket-Key: {key}", "Sec-WebSocket-Version: 13", *headers]
        self.socket.sendall("\r\n".join(lines).encode() + b"\r\n\r\n" + behind)
        self._finish_handshake(key)

    def _finish_handshake(self, key):
        try:
            status, self.headers = self._read_head()
            if status != 101:
                raise Refused(status, self._read_exactly(int(self.headers.get("content-length", 0))).decode())
        except (Refused, Closed):
            self.socket.close()
            raise
        digest = hashlib.sha1((key + "258EAFA5-E914-47DA-95CA-C5AB0DC85B11").encode()).digest()
        assert self.headers["sec-websocket-accept"] == base64.b64encode(digest).decode()

    def _read_head(self):
        while b"\r\n\r\n" not in self.buffer:
            self._read_some()
        head, _, rest = bytes(self.buffer).partition(b"\r\n\r\n")
        self.buffer = bytearray(rest)
        first, *lines = head.decode().split("\r\n")
        return int(first.split()[1]), {name.lower(): value.strip() for name, _, value in (line.partition(":") for line in lines)}

    def _read_some(self):
        try:
            data = self.socket.recv(1 << 18)
        except (ConnectionResetError, ssl.SSLEOFError):
            data = b""
        if not data:
            raise Closed(None, "the stream ended without a close frame")
        self.buffer += data

    def _read_exactly(self, length):
        while len(self.buffer) < length:
            self._read_some()
        data = bytes(self.buffer[:length])
        del self.buffer[:length]
        return data

    def receive_frame(self):
        """(opcode, payload) of the next frame; the relay never fragments and never masks."""
        first, second = self._read_exactly(2)
        assert first & 0x80 and not second & 0x80
        length = second
        if length == 126:
            length = struct.unpack("!H", self._read_exactly(2))[0]
        elif length == 127:
            length = struct.unpack("!Q", self._read_exactly(8))[0]
        return first & 15, self._read_exactly(length)

    def receive_text(self):
        """The next text message; pings are answered. Raises Closed."""
        while True:
            opcode, payload = self.receive_frame()
            if opcode == PING:
                self.send_raw(frame(payload, PONG))
            elif opcode == CLOSE:
                self._answer_close(payload)
            elif opcode == TEXT:
                return payload.decode()

    def _answer_close(self, payload):
        assert len(payload) <= 125
        code = struct.unpack("!H", payload[:2])[0] if payload else 1005
        reason = payload[2:].decode()
        try:
            self.send_raw(frame(payload[:2], CLOSE))
        except OSError:
            pass
        raise Closed(code, reason)

    def receive(self):
        return json.loads(self.receive_text())

    def receive_until_closed(self):
        """(texts, code) of everything that still comes."""
        texts = []
        while True:
            try:
                texts.append(self.receive_text())
            except Closed as closed:
                return texts, closed.code

    def send_raw(self, data):
        self.socket.sendall(data)

    def send_text(self, text):
        self.send_raw(frame(text))

    def send(self, message):
        self.send_text(json.dumps(message))

    def close(self):
        """Closes in the ordinary way and waits for the relay's side."""
        try:
            self.send_raw(frame(struct.pack("!H", 1000), CLOSE))
            self.receive_until_closed()
        finally:
            self.socket.close()

    def reset(self):
        """Breaks the connection with a TCP reset."""
        self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self.socket.close()
