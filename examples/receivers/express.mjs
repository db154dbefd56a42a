// Packages: express, @chainwatch/sdk
// CHAINWATCH_WEBHOOK_SECRET=svc_whsec_… PORT=3000 node express.mjs
import express from 'express';
import { chainwatchWebhook } from '@chainwatch/sdk/express';

// In production: a table with a unique key on event_id, written with the effect of the event.
const seen = new Set();

function handle(event) {
  if (seen.has(event.event_id)) return;
  seen.add(event.event_id);
  console.log(`${event.type} ${event.event_id}`);
}

const secrets = process.env.CHAINWATCH_WEBHOOK_SECRET;
const app = express();
// Before express.json(): the signature covers the raw body.
app.post('/webhooks/chainwatch', chainwatchWebhook({ secrets, handle }));
app.use(express.json());

const server = app.listen(Number(process.env.PORT ?? 3000), () =>
  console.log(`Listening on port ${server.address().port}`),
);
