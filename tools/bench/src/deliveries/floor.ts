// SPDX-License-Identifier: Apache-2.0
/** `floor.ts <url> <count> <secret>`: signs and POSTs with nothing behind it, as a process of its own. Reads the body from stdin, prints milliseconds. */
import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { Agent, request } from 'undici';
import { signPayload } from '@chainwatch/webhook-signature';

const [url, count, secret] = process.argv.slice(2) as [string, string, string];
const body = readFileSync(0, 'utf8');
const agent = new Agent({ pipelining: 1 });
const started = performance.now();
let left = Number(count);
await Promise.all(
  Array.from({ length: 64 }, async () => {
    while (left > 0) {
      left -= 1;
      const headers = {
        'content-type': 'application/json',
        'x-webhook-event-id': randomUUID(),
        'x-webhook-signature': signPayload({
          secrets: [secret],
          timestamp: Math.floor(Date.now() / 1_000),
          body,
        }),
      };
      const { body: answer } = await request(url, { method: 'POST', headers, body, dispatcher: agent });
      await answer.dump();
    }
  }),
);
console.log(performance.now() - started);
process.exit(0);
