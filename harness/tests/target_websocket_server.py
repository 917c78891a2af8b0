#!/usr/bin/env python3
"""A WebSocket server for the tests of the WebSocket target: RFC 6455 by hand, so that it can also break the rules.

It prints "PORT" on its first line and serves until its standard input ends. The path says how the handshake goes:

  /ok            an ordinary one
  /first         the first message travels in one packet with the answer
  /status/NNN    HTTP status NNN instead
  /silent        no answer at all
  /garbage       an answer that is not HTTP
  /bad-accept    a wrong Sec-WebSocket-Accept
  /hang-up       the connection is closed without an answer

A text message that is a JSON array is a list of actions; anything else is described back as one JSON text message.
Actions: ["text", "…"], ["frame", first byte, "hex"], ["raw", "hex"], ["fill", first byte, length], ["close", code, "reason"],
["end"] (closes the socket without a close frame), ["reset"], ["request"] (the request line and headers come back), ["ping", "hex"],
["say-pings"] (pongs are described), ["deaf"] (stops reading for good).
"""
import base64
import hashlib
import json
import socket
import ssl
import struct
import sys
import threading

GUID = b"258EAFA5-E914-47DA-95CA-C5AB0DC85B11"


class Connection:
    def __init__(self, stream):
        self.stream = stream
        self.buffer = bytearray()
        self.say_pongs = False

    def read(self, count):
        while len(self.buffer) < count:
            chunk = self.stream.recv(1 << 20)
            if not chunk:
                raise EOFError
            self.buffer += chunk
        taken = bytes(self.buffer[:count])
        del self.buffer[:count]
        return taken

    def read_head(self):
        while b"\r\n\r\n" not in self.buffer:
            chunk = self.stream.recv(1 << 20)
            if not chunk:
                raise EOFError
            self.buffer += chunk
        head, self.buffer = self.buffer.split(b"\r\n\r\n", 1)
        return bytes(head)

    def read_frame(self):
        first, second = self.read(2)
        length = second & 127
        if length == 126:
            length = struct.unpack(">H", self.read(2))[0]
        elif length == 127:
            length = struct.unpack(">Q", self.read(8))[0]
        mask = self.read(4) if second & 128 else None
        payload = self.read(length)
        if mask:
            repeated = (mask * (length // 4 + 1))[:length]
            payload = (int.from_bytes(payload, "big") ^ int.from_bytes(repeated, "big")).to_bytes(length, "big")
        return first, mask is not None, payload

    def send_frame(self, first, payload):
        length = len(payload)
        if length < 126:
            head = struct.pack(">BB", first, length)
        elif length < 65536:
            head = struct.pack(">BBH", first, 126, length)
        else:
            head = struct.pack(">BBQ", first, 127, length)
        self.stream.sendall(head + payload)

    def send_text(self, text):
        self.send_frame(0x81, text.encode())

    def act(self, action):
        verb, *arguments = action
        if verb == "text":
            self.send_text(arguments[0])
        elif verb == "frame":
            self.send_frame(arguments[0], bytes.fromhex(arguments[1]))
        elif verb == "fill":
            self.send_frame(arguments[0], b"x" * arguments[1])
        elif verb == "raw":
            self.stream.sendall(bytes.fromhex(arguments[0]))
        elif verb == "close":
            self.send_frame(0x88, struct.pack(">H", arguments[0]) + arguments[1].encode() if arguments else b"")
        elif verb == "end":
            raise EOFError
        elif verb == "reset":
            self.stream.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            raise EOFError
        elif verb == "request":
            self.send_text(json.dumps(self.head.decode("latin-1").split("\r\n")))
        elif verb == "ping":
            self.send_frame(0x89, bytes.fromhex(arguments[0]))
        elif verb == "say-pongs":
            self.say_pongs = True
        elif verb == "deaf":
            threading.Event().wait()
        else:
            self.send_text(json.dumps({"unknown": verb}))

    def serve(self):
        self.head = self.read_head()
        path = self.head.split(b" ")[1].split(b"?")[0].decode()
        if not self.shake_hands(path):
            return
        frames, message = [], b""
        while True:
            first, masked, payload = self.read_frame()
            opcode = first & 15
            if opcode == 8:
                log(f"close {struct.unpack('>H', payload[:2])[0] if len(payload) >= 2 else 'empty'}")
                self.send_frame(0x88, payload)
                return
            if opcode == 9:
                self.send_frame(0x8A, payload)
            elif opcode == 10:
                if self.say_pongs:
                    self.send_text(json.dumps({"pong": payload.hex()}))
            else:
                frames.append([first, len(payload)])
                message += payload
                if first & 128:
                    self.take(frames, masked, message)
                    frames, message = [], b""

    def take(self, frames, masked, message):
        if frames[0][0] & 15 == 1 and message.startswith(b'[["'):
            for action in json.loads(message):
                self.act(action)
            return
        shown = message.hex() if len(message) <= 1000 else hashlib.sha256(message).hexdigest()
        self.send_text(json.dumps({"frames": frames, "masked": masked, "length": len(message), "bytes": shown},
                                  separators=(",", ":")))

    def shake_hands(self, path):
        if path.startswith("/status/"):
            status = path.split("/")[2]
            self.stream.sendall(f"HTTP/1.1 {status} Because\r\nContent-Length: 6\r\nLocation: /ok\r\n\r\nno way".encode())
            return False
        if path == "/silent":
            while self.stream.recv(1 << 16):
                pass
            return False
        if path == "/garbage":
            self.stream.sendall(b"what do you want\r\n\r\n")
            return False
        if path == "/hang-up":
            return False
        key = next(line.split(b":", 1)[1].strip() for line in self.head.split(b"\r\n")
                   if line.lower().startswith(b"sec-websocket-key:"))
        accept = base64.b64encode(hashlib.sha1(key + GUID).digest())
        if path == "/bad-accept":
            accept = accept[::-1]
        answer = (b"HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
                  b"Sec-WebSocket-Accept: " + accept + b"\r\n\r\n")
        if path == "/first":
            answer += b"\x81\x05first"
        self.stream.sendall(answer)
        return True


def log(text):
    print(text, flush=True)


def serve(stream):
    try:
        stream.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        Connection(stream).serve()
    except EOFError:
        log("ended")
    except OSError as error:
        log(f"broken {type(error).__name__}")
    finally:
        stream.close()


def accept(listener, context):
    while True:
        stream, _ = listener.accept()

        def start(stream=stream):
            try:
                serve(context.wrap_socket(stream, server_side=True) if context else stream)
            except OSError:
                stream.close()

        threading.Thread(target=start, daemon=True).start()


def main():
    context = None
    if len(sys.argv) == 3:
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(sys.argv[1], sys.argv[2])
        # Whoever offers HTTP/2 gets it, and no WebSocket.
        context.set_alpn_protocols(["h2", "http/1.1"])
    listener = socket.create_server(("127.0.0.1", 0), backlog=1000)
    log(str(listener.getsockname()[1]))
    threading.Thread(target=accept, args=(listener, context), daemon=True).start()
    sys.stdin.read()


if __name__ == "__main__":
    main()
