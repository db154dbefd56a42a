// Packages: fastify, @chainwatch/sdk
// CHAINWATCH_WEBHOOK_SECRET=svc_whsec_… PORT=3000 node fastify.mjs
import fastify from 'fastify';
import { chainwatchWebhook } from '@chainwatch/sdk/fastify';

// In production: a table with a unique key on event_id, written with the effect of the event.
const seen = new Set();

function handle(event) {
  if (seen.has(event.event_id)) return;
  seen.add(event.event_id);
  console.log(`${event.type} ${event.event_id}`);
}

const secrets = process.env.CHAINWATCH_WEBHOOK_SECRET;
const app = fastify();
// A plugin: bodies stay raw on this route, and are parsed as usual on all others.
await app.register(chainwatchWebhook({ path: '/webhooks/chainwatch', secrets, handle }));

await app.listen({ port: Number(process.env.PORT ?? 3000) });
console.log(`Listening on port ${app.server.address().port}`);
