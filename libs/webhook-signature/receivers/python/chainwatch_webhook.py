# SPDX-License-Identifier: Apache-2.0
"""Verifies and reads webhook deliveries of chainwatch. One file, the standard library alone, Python 3.8 or newer.

    event = unwrap(request.headers.get("X-Webhook-Signature"), request.get_data(), [os.environ["CHAINWATCH_WEBHOOK_SECRET"]])

Answer 400 to a SignatureError, 2xx within 10 seconds to the rest, and drop an event_id that you have seen.
"""
import hashlib
import hmac
import json
import re
import time

HEADER_LENGTH_MAX = 4096


class SignatureError(Exception):
    """The delivery did not come from your chainwatch just now; the text is the reason."""


def unwrap(header, body, secrets, tolerance=300, now=None):
    """The event as a dict, once `verify` has passed."""
    verify(header, body, secrets, tolerance, now)
    try:
        return json.loads(body)
    except ValueError:
        raise SignatureError("malformed_event") from None


def verify(header, body, secrets, tolerance=300, now=None):
    """header: X-Webhook-Signature; body: the raw bytes; secrets: the channel's, during a rotation old and new."""
    if not secrets or not all(isinstance(secret, str) and secret for secret in secrets):
        raise ValueError("expected the secret of the channel, got none or an empty one")
    if not header:
        raise SignatureError("missing_header")
    entries = [entry.strip(" \t").partition("=") for entry in header.split(",")]
    times = [value for key, _, value in entries if key == "t"]
    if (
        len(header) > HEADER_LENGTH_MAX
        or not all(key and equals for key, equals, _ in entries)
        or len(times) != 1
        or not re.fullmatch("0|[1-9][0-9]{0,11}", times[0])
    ):
        raise SignatureError("malformed_header")
    signatures = [value.encode() for key, _, value in entries if key == "v1"]
    if not signatures:
        raise SignatureError("no_known_version")
    payload = times[0].encode() + b"." + body
    is_match = False
    for secret in secrets:
        expected = hmac.new(secret.encode(), payload, hashlib.sha256).hexdigest().encode()
        for signature in signatures:
            is_match = hmac.compare_digest(expected, signature) or is_match
    if not is_match:
        raise SignatureError("signature_mismatch")
    if abs((time.time() if now is None else now) - int(times[0])) > tolerance:
        raise SignatureError("timestamp_outside_tolerance")
