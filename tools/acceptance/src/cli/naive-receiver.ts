// SPDX-License-Identifier: Apache-2.0
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import type { EventEnvelope } from '@chainwatch/events';

export interface NaiveReceiver {
  readonly url: string;
  /** As a command prints it: whole base units with 18 decimals behind the point. */
  readonly balanceCommand: string;
  close(): Promise<unknown>;
}

/**
 * A receiver as it is written in an afternoon, wrong in the five ways that docs/guides/certify.md names: it believes
 * anybody, credits early, credits twice, keeps what was undone, and refuses what it does not know.
 */
export async function startNaiveReceiver(): Promise<NaiveReceiver> {
  let credited = 0n;
  const take = (event: EventEnvelope): number => {
    if (!/^transaction\.(detected|progress|confirmed|reorged|failed)$/.test(event.type)) return 400;
    if (event.type === 'transaction.detected' || event.type === 'transaction.confirmed')
      for (const { delta_raw: delta } of event.data.balance_changes) credited += BigInt(delta);
    return 204;
  };
  const server = createServer((req, res) => {
    if (req.method === 'GET') res.end(`${credited / UNIT}.${String(credited % UNIT).padStart(18, '0')}`);
    else void text(req).then((body) => res.writeHead(take(JSON.parse(body) as EventEnvelope)).end());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    url,
    balanceCommand: `curl -s ${url}`,
    close: () => new Promise((resolve) => server.close(resolve)),
  };
}

const UNIT = 10n ** 18n;
