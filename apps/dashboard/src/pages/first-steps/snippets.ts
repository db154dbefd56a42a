// SPDX-License-Identifier: Apache-2.0
/** A receiver of the reader's own that verifies each delivery. tools/acceptance/src/receivers/snippets.spec.ts runs them. */
interface Snippet {
  readonly language: string;
  readonly file: string;
  readonly text: string;
}

export const SNIPPETS: readonly Snippet[] = [
  {
    language: 'TypeScript',
    file: 'receiver.ts',
    text: `// Packages: express, @chainwatch/sdk
import express from 'express';
import { chainwatchWebhook } from '@chainwatch/sdk/express';

const receive = chainwatchWebhook({
  secrets: process.env.CHAINWATCH_WEBHOOK_SECRET,
  handle: (event) => console.log('verified', event.type, event.event_id),
});
express().post('/webhooks/chainwatch', receive).listen(Number(process.env.PORT ?? 3000));
`,
  },
  {
    language: 'Python',
    file: 'receiver.py',
    text: `# Copy chainwatch_webhook.py beside this file.
import os
from http.server import BaseHTTPRequestHandler, HTTPServer
from chainwatch_webhook import SignatureError, unwrap

class Receiver(BaseHTTPRequestHandler):
    def do_POST(self):
        body = self.rfile.read(int(self.headers["Content-Length"]))
        try:
            event = unwrap(self.headers["X-Webhook-Signature"], body, [os.environ["CHAINWATCH_WEBHOOK_SECRET"]])
        except SignatureError:
            return self.send_error(400)
        print("verified", event["type"], event["event_id"], flush=True)
        self.send_response(204)
        self.end_headers()

HTTPServer(("127.0.0.1", int(os.environ.get("PORT", "3000"))), Receiver).serve_forever()
`,
  },
  {
    language: 'Go',
    file: 'main.go',
    text: `// Copy chainwatch.go into the folder chainwatch, then:
// go mod init example.com/receiver && PORT=3000 go run .
package main

import (
	"io"
	"log"
	"net/http"
	"os"

	"example.com/receiver/chainwatch"
)

func main() {
	http.HandleFunc("/webhooks/chainwatch", func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(http.MaxBytesReader(w, r.Body, 1<<20))
		event, err := chainwatch.Unwrap(r.Header.Get("X-Webhook-Signature"), body, os.Getenv("CHAINWATCH_WEBHOOK_SECRET"))
		if err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		log.Println("verified", event.Type, event.EventID)
		w.WriteHeader(http.StatusNoContent)
	})
	log.Fatal(http.ListenAndServe("127.0.0.1:"+os.Getenv("PORT"), nil))
}
`,
  },
  {
    language: 'PHP',
    file: 'receiver.php',
    text: `<?php // Copy ChainwatchWebhook.php beside this file, then: php -S 127.0.0.1:3000 receiver.php
require __DIR__ . '/ChainwatchWebhook.php';

try {
    $event = ChainwatchWebhook::unwrap(
        $_SERVER['HTTP_X_WEBHOOK_SIGNATURE'] ?? null,
        file_get_contents('php://input'),
        [getenv('CHAINWATCH_WEBHOOK_SECRET')],
    );
    error_log("verified $event->type $event->event_id");
    http_response_code(204);
} catch (ChainwatchSignatureException $error) {
    http_response_code(400);
}
`,
  },
];
