// app/webhooks/chainwatch/route.ts
// Package: @chainwatch/sdk. Set CHAINWATCH_WEBHOOK_SECRET in .env.local
import type { ChainwatchEvent } from '@chainwatch/sdk';
import { chainwatchWebhook } from '@chainwatch/sdk/next';

// In production: a table with a unique key on event_id, written with the effect of the event.
const seen = new Set<string>();

function handle(event: ChainwatchEvent): void {
  if (seen.has(event.event_id)) return;
  seen.add(event.event_id);
  console.log(`${event.type} ${event.event_id}`);
}

export const POST = chainwatchWebhook({ secrets: process.env.CHAINWATCH_WEBHOOK_SECRET, handle });
