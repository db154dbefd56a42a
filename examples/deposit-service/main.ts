/** Credits each deposit exactly once: see README.md. */
import { once } from 'node:events';
import { createServer } from 'node:http';
import { createClient } from '@chainwatch/sdk';
import { findAccess } from '../find-access.ts';
import { createApp } from './create-app.ts';
import { ensureDatabase } from './ensure-database.ts';
import { ensureWebhook } from './ensure-webhook.ts';
import { Ledger } from './ledger.ts';

const port = Number(process.env.PORT ?? 3001);
const url = `${process.env.PUBLIC_URL ?? `http://127.0.0.1:${port}`}/webhooks/chainwatch`;
const log = (line: string): void => void process.stdout.write(`${line}\n`);

const chainwatch = createClient(findAccess());
const ledger = await Ledger.open(await ensureDatabase());
const { secret } = await ensureWebhook(chainwatch, ledger, url);
const server = createServer(createApp({ chainwatch, ledger, secret, log }));
server.listen(port);
await once(server, 'listening');
log(`Listening on http://127.0.0.1:${port}, webhooks come to ${url}`);
