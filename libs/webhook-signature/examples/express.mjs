// SPDX-License-Identifier: Apache-2.0
/**
 * A receiver with Express: verifies, drops what came before, answers at once and works afterwards.
 *
 *   npm install express, and this package
 *   CHAINWATCH_WEBHOOK_SECRET=svc_whsec_… PORT=3000 node express.mjs
 */
import express from 'express';
import { verifySignature } from '@chainwatch/webhook-signature';

// During a rotation both secrets may be given, with a comma between.
const secrets = (process.env.CHAINWATCH_WEBHOOK_SECRET ?? '').split(',').filter(Boolean);

/** Yours is a table with a unique key on event_id: this one forgets when the process ends. */
const seen = new Set();

const app = express();
app.disable('x-powered-by');

// express.raw, not express.json: the signature covers the bytes as they arrived.
app.post('/webhooks/chainwatch', express.raw({ type: 'application/json', limit: '1mb' }), (req, res) => {
  const verdict = verifySignature({ header: req.headers['x-webhook-signature'], body: req.body, secrets });
  if (!verdict.ok) return res.status(400).send(verdict.reason);
  const event = JSON.parse(req.body.toString('utf8'));
  // Retries and redeliveries carry the same event_id; a second one is taken and does nothing.
  if (!seen.has(event.event_id)) {
    seen.add(event.event_id);
    setImmediate(() => handle(event));
  }
  res.sendStatus(204);
});

/** A notification, not the truth: ask the API or the chain before anything that cannot be undone. */
function handle(event) {
  if (event.is_test_message) return console.log(`test ${event.type}`);
  console.log(`${event.type} ${event.event_id}`);
}

const server = app.listen(Number(process.env.PORT ?? 3000), () =>
  console.log(`listening on ${server.address().port}`),
);
