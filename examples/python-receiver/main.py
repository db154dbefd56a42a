"""A receiver of webhooks with Python's standard library alone: see README.md."""
import json
import os
import signal
import sqlite3
import sys
import urllib.error
import urllib.request
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parents[2]
# One file, which you copy beside your program. Nothing is written beside it here.
sys.dont_write_bytecode = True
sys.path.insert(0, str(REPOSITORY / "libs/webhook-signature/receivers/python"))
from chainwatch_webhook import SignatureError, unwrap  # noqa: E402

NAME = "python-receiver"
BODY_BYTES_MAX = 1_048_576
STACK_FILE = REPOSITORY / ".chainwatch/stack.json"
STACK = json.loads(STACK_FILE.read_text()) if STACK_FILE.exists() else {"keys": {}}
API_URL = os.environ.get("CHAINWATCH_API_URL") or STACK.get("api_url")
API_KEY = os.environ.get("CHAINWATCH_API_KEY") or STACK["keys"].get("api")


def open_database():
    database = sqlite3.connect(os.environ.get("DATABASE_FILE", "events.sqlite"))
    database.execute("CREATE TABLE IF NOT EXISTS events (event_id TEXT PRIMARY KEY, type TEXT NOT NULL, body TEXT NOT NULL)")
    database.execute("CREATE TABLE IF NOT EXISTS channels (id TEXT PRIMARY KEY, url TEXT NOT NULL, secret TEXT NOT NULL)")
    return database


def store(event):
    """Whether it is a new one. Your effect stands in the same transaction."""
    database = open_database()
    with database:
        row = (event["event_id"], event["type"], json.dumps(event))
        is_new = database.execute("INSERT OR IGNORE INTO events VALUES (?, ?, ?)", row).rowcount == 1
    database.close()
    return is_new


def call(method, path, body=None):
    request = urllib.request.Request(
        API_URL + path,
        method=method,
        data=None if body is None else json.dumps(body).encode(),
        headers={"X-Api-Key": API_KEY, "Content-Type": "application/json"},
    )
    with urllib.request.urlopen(request, timeout=30) as response:
        return json.loads(response.read() or b"null")


def ensure_channel(url):
    """The secret of this receiver's channel: told once, when it is made, so it is kept."""
    database = open_database()
    for channel_id, secret in database.execute("SELECT id, secret FROM channels WHERE url = ?", (url,)).fetchall():
        try:
            call("GET", f"/notification_channels/{channel_id}")
            return secret
        except urllib.error.HTTPError as error:
            if error.code != 404:
                raise
    for channel in call("GET", "/notification_channels?limit=100")["items"]:
        if channel["name"] == NAME:
            call("DELETE", f"/notification_channels/{channel['id']}")
    channel = call("POST", "/notification_channels/webhook", {"name": NAME, "url": url})
    with database:
        database.execute("INSERT INTO channels VALUES (?, ?, ?)", (channel["id"], url, channel["webhook_secret"]))
    database.close()
    return channel["webhook_secret"]


class Receiver(BaseHTTPRequestHandler):
    secret = None

    def do_POST(self):
        length = int(self.headers.get("Content-Length", 0))
        if length > BODY_BYTES_MAX:
            return self.answer(413)
        body = self.rfile.read(length)
        try:
            event = unwrap(self.headers.get("X-Webhook-Signature"), body, [self.secret])
        except SignatureError as error:
            return self.answer(400, str(error))
        is_new = store(event)
        print(event["type"], event["event_id"], "" if is_new else "is there already", flush=True)
        return self.answer(204)

    def answer(self, status, text=""):
        self.send_response(status)
        if status != 204:
            self.send_header("Content-Length", str(len(text)))
        self.end_headers()
        self.wfile.write(text.encode())

    def log_message(self, *_):
        pass


def main():
    if not API_URL or not API_KEY:
        sys.exit("Start the local stack (npm start), or set CHAINWATCH_API_URL and CHAINWATCH_API_KEY.")
    server = ThreadingHTTPServer(("127.0.0.1", int(os.environ.get("PORT", "3003"))), Receiver)
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))
    url = f"{os.environ.get('PUBLIC_URL', f'http://127.0.0.1:{server.server_port}')}/hook"
    Receiver.secret = ensure_channel(url)
    print(f"Listening on {url}", flush=True)
    server.serve_forever()


main()
