import express, { type Express } from 'express';
import { ProblemError, type Chainwatch } from '@chainwatch/sdk';
import { chainwatchWebhook } from '@chainwatch/sdk/express';
import type { Ledger } from './ledger.ts';

export interface AppOptions {
  readonly chainwatch: Chainwatch;
  readonly ledger: Ledger;
  /** Of the webhook channel. */
  readonly secret: string;
  readonly log: (line: string) => void;
}

export function createApp({ chainwatch, ledger, secret, log }: AppOptions): Express {
  const app = express();
  // In front of express.json: the signature covers the bytes as they arrived. 204 tells that the entries are committed.
  app.post(
    '/webhooks/chainwatch',
    chainwatchWebhook({
      secrets: secret,
      handle: async (event) => {
        const isNews = await ledger.apply(event);
        log(`${event.type} ${event.event_id}${isNews ? '' : ' changed nothing'}`);
      },
      onError: (error) => log(String(error)),
    }),
  );
  app.use(express.json());

  // Your wallet makes the address; from now on chainwatch watches it.
  app.put('/customers/:id', async (req, res) => {
    const { address: value } = req.body as { address: string };
    const { address } = await chainwatch.addresses
      .createExternal({ value, chain_family: 'evm', metadata: { customer: req.params.id } })
      .catch((error: unknown) => {
        if (error instanceof ProblemError && error.status === 409) return chainwatch.addresses.get(value);
        throw error;
      });
    await ledger.addCustomer(req.params.id, address);
    res.json(await ledger.findCustomer(req.params.id));
  });
  app.get('/customers/:id', async (req, res) => {
    const customer = await ledger.findCustomer(req.params.id);
    if (customer === undefined) res.sendStatus(404);
    else res.json(customer);
  });
  return app;
}
