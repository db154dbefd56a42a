/** Events of a project straight from NATS: see README.md. */
import { readFileSync } from 'node:fs';
import { connect, nkeyAuthenticator } from '@nats-io/transport-node';
import { createClient } from '@chainwatch/sdk';
import { subscribe } from '@chainwatch/sdk/nats';
import { findAccess, findLocalStack } from '../find-access.ts';
import { EventFile } from './event-file.ts';

const log = (line: string): void => void process.stdout.write(`${line}\n`);
const { projects } = await createClient(findAccess()).session.get();
const project = projects[0]?.id;
if (project === undefined) throw new Error('expected the key of a project');

const seedFile = process.env.NATS_NKEY_SEED_FILE;
const connection = await connect({
  servers: process.env.NATS_URL ?? findLocalStack()?.nats_url,
  maxReconnectAttempts: -1,
  ...(seedFile !== undefined && {
    authenticator: nkeyAuthenticator(new TextEncoder().encode(readFileSync(seedFile, 'utf8').trim())),
  }),
});
const abort = new AbortController();
for (const name of ['SIGINT', 'SIGTERM'] as const) process.once(name, () => abort.abort());

const file = new EventFile(process.env.EVENTS_FILE ?? 'events.ndjson');
log(`Reading the events of project ${project}`);
await subscribe({
  connection,
  project,
  durable: 'nats-consumer',
  // The server of the local stack has no accounts: there the stream of the services is read. In an account of the
  // project, the default, this makes one of its own.
  stream: process.env.NATS_STREAM ?? (seedFile === undefined ? 'tx' : undefined),
  handle: (event) => log(`${event.type} ${event.event_id}${file.add(event) ? '' : ' is there already'}`),
  onError: (error) => log(String(error)),
  signal: abort.signal,
});
file.close();
await connection.close();
