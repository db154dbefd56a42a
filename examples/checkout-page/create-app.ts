import { fileURLToPath } from 'node:url';
import express, { type Express } from 'express';
import { ProblemError } from '@chainwatch/sdk';
import type { Orders } from './orders.ts';

const PAGE = fileURLToPath(new URL('page.html', import.meta.url));
const SATOSHI_MAX = 2_100_000_000_000_000n;

export function createApp(orders: Orders): Express {
  const app = express();
  app.get('/', (_req, res) => res.sendFile(PAGE));
  app.post('/orders', express.json(), async (req, res) => {
    const { amount } = req.body as { amount?: unknown };
    if (typeof amount !== 'string' || !/^[1-9]\d{0,15}$/.test(amount) || BigInt(amount) > SATOSHI_MAX)
      res.status(400).send('expected amount as satoshi, such as "50000"');
    else res.status(201).json(await orders.create(BigInt(amount)));
  });
  // Where the order stands, now and at every change, as server-sent events.
  app.get('/orders/:address/events', (req, res) => {
    const { address } = req.params;
    const send = async (): Promise<void> => {
      const order = await orders.read(address);
      if (!res.headersSent)
        res.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-store' });
      res.write(`data: ${JSON.stringify(order)}\n\n`);
    };
    // One after the other: the newest state is the last. Watched before it is read: nothing falls between.
    let last = Promise.resolve();
    const stop = orders.watch(address, () => {
      last = last.then(send).catch(() => void res.destroy());
    });
    res.on('close', stop);
    last = send().catch((error: unknown) => {
      res.sendStatus(error instanceof ProblemError && error.status === 404 ? 404 : 502);
    });
  });
  return app;
}
