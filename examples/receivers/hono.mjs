// Packages: hono, @hono/node-server, @chainwatch/sdk
// CHAINWATCH_WEBHOOK_SECRET=svc_whsec_… PORT=3000 node hono.mjs
import { serve } from '@hono/node-server';
import { Hono } from 'hono';
import { chainwatchWebhook } from '@chainwatch/sdk/hono';

// In production: a table with a unique key on event_id, written with the effect of the event.
const seen = new Set();

function handle(event) {
  if (seen.has(event.event_id)) return;
  seen.add(event.event_id);
  console.log(`${event.type} ${event.event_id}`);
}

const secrets = process.env.CHAINWATCH_WEBHOOK_SECRET;
const app = new Hono();
app.post('/webhooks/chainwatch', chainwatchWebhook({ secrets, handle }));

// On Bun, Deno, and Cloudflare Workers: export default app;
serve({ fetch: app.fetch, port: Number(process.env.PORT ?? 3000) }, ({ port }) =>
  console.log(`Listening on port ${port}`),
);
