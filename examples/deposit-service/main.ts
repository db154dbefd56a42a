/** Credits each deposit exactly once: see README.md. */
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createClient } from '@chainwatch/sdk';
import { findAccess } from '../find-access.ts';
import { createApp } from './create-app.ts';
import { ensureDatabase } from './ensure-database.ts';
import { ensureWebhook } from './ensure-webhook.ts';
import { Ledger } from './ledger.ts';

const chainwatch = createClient(findAccess());
const ledger = await Ledger.open(await ensureDatabase());
let secret: string | undefined;
const log = (line: string): void => void process.stdout.write(`${line}\n`);

const server = createServer(createApp({ chainwatch, ledger, secret: () => secret, log }));
server.listen(Number(process.env.PORT ?? 3001));
await once(server, 'listening');
const { port } = server.address() as AddressInfo;
const url = `${process.env.PUBLIC_URL ?? `http://127.0.0.1:${port}`}/webhooks/chainwatch`;
({ secret } = await ensureWebhook(chainwatch, ledger, url));
log(`Listening on http://127.0.0.1:${port}, webhooks come to ${url}`);
