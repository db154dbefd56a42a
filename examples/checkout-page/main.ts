/** A shop that takes bitcoin: see README.md. */
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createClient } from '@chainwatch/sdk';
import { findAccess } from '../find-access.ts';
import { createApp } from './create-app.ts';
import { ensurePublicKey } from './ensure-public-key.ts';
import { Orders } from './orders.ts';

const chainwatch = createClient(findAccess());
const orders = new Orders(chainwatch, await ensurePublicKey(chainwatch));

const server = createServer(createApp(orders));
server.listen(Number(process.env.PORT ?? 3002));
await once(server, 'listening');
const { port } = server.address() as AddressInfo;
process.stdout.write(`Listening on http://127.0.0.1:${port}\n`);
await orders.follow();
