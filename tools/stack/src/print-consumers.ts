// SPDX-License-Identifier: Apache-2.0
import { existsSync, readFileSync } from 'node:fs';
import { jetstreamManager } from '@nats-io/jetstream';
import { connect } from '@nats-io/transport-node';
import { createNatsLogin, natsOptionsOf } from '@chainwatch/data/bus';
import { loadConfig, NATS_VARIABLES, serviceConfig } from '@chainwatch/platform/config';

/** `npm run nats:consumers`: who reads which stream, of the server in NATS_URL or of the stack that runs here. */
const STACK_FILE = new URL('../../../.chainwatch/stack.json', import.meta.url);

function findServers(): string | undefined {
  if (process.env['NATS_URL'] || !existsSync(STACK_FILE)) return undefined;
  return (JSON.parse(readFileSync(STACK_FILE, 'utf8')) as { nats_url: string }).nats_url;
}

const { url = '', files = {} } = natsOptionsOf(loadConfig(serviceConfig.pick(NATS_VARIABLES)));
const connection = await connect(createNatsLogin((findServers() ?? url).split(','), files));
const manager = await jetstreamManager(connection);
const rows: object[] = [];
for await (const { config, state } of manager.streams.list()) {
  const stream = { stream: config.name, replicas: config.num_replicas, last_seq: state.last_seq };
  const before = rows.length;
  for await (const consumer of manager.consumers.list(config.name))
    rows.push({
      ...stream,
      consumer: consumer.name,
      subject: consumer.config.filter_subject,
      delivered_seq: consumer.delivered.stream_seq,
      pending: consumer.num_pending,
    });
  if (rows.length === before) rows.push(stream);
}
console.table(rows);
await connection.close();
