# pip install flask, and copy chainwatch_webhook.py beside this file
# CHAINWATCH_WEBHOOK_SECRET=svc_whsec_… PORT=3000 python3 flask_receiver.py
import os
import sqlite3

from flask import Flask, request

from chainwatch_webhook import SignatureError, unwrap

SECRET = os.environ["CHAINWATCH_WEBHOOK_SECRET"]
DATABASE = os.environ.get("DATABASE_FILE", "events.sqlite")
app = Flask(__name__)


def store(event):
    """Returns False for an event that was stored before."""
    database = sqlite3.connect(DATABASE)
    try:
        # The effect of the event belongs in this transaction.
        with database:
            database.execute("CREATE TABLE IF NOT EXISTS events (event_id TEXT PRIMARY KEY, type TEXT)")
            row = (event["event_id"], event["type"])
            return database.execute("INSERT OR IGNORE INTO events VALUES (?, ?)", row).rowcount == 1
    finally:
        database.close()


@app.post("/webhooks/chainwatch")
def receive():
    try:
        # get_data() returns the raw body, which the signature covers.
        event = unwrap(request.headers.get("X-Webhook-Signature"), request.get_data(), [SECRET])
    except SignatureError as error:
        return str(error), 400
    if store(event):
        print(event["type"], event["event_id"], flush=True)
    return "", 204


if __name__ == "__main__":
    app.run(port=int(os.environ.get("PORT", "3000")))
