// SPDX-License-Identifier: Apache-2.0
import { connect, errors, type NatsConnection } from '@nats-io/transport-node';
import { jetstream, jetstreamManager, type JetStreamClient } from '@nats-io/jetstream';
import { startNats, type NatsHandle } from '@chainwatch/testing';
import { BusUnavailableError } from './bus-unavailable-error.ts';
import type { PublishOptions } from './bus.ts';
import { createPublisher, type Publisher } from './publisher.ts';
import { silentLogger } from './silent-logger.ts';
import { createStreamSet, type StreamSet } from './stream-set.ts';

const CHAIN = 'eip155:1';
const PAYLOAD = { schema: 1, chain_gid: CHAIN } as never;
const OPTIONS: PublishOptions = { messageId: 'one' };

describe('publishing to a stream that gives no answer', () => {
  let nats: NatsHandle;
  let connection: NatsConnection;
  let real: JetStreamClient;
  let streams: StreamSet;

  beforeAll(async () => {
    nats = await startNats();
    connection = await connect({ servers: nats.url });
    real = jetstream(connection);
    const manager = await jetstreamManager(connection);
    streams = createStreamSet({ manager, replicas: 1, logger: silentLogger });
    await streams.ensure();
  });
  afterAll(async () => {
    await connection.close();
    await nats.stop();
  });

  /** @param losses publications that go to a leader which dies with them, before or after it has stored them */
  function publishWith(losses: readonly ('before' | 'after')[]): { publisher: Publisher; sent: string[] } {
    const sent: string[] = [];
    const client = {
      async publish(...args: Parameters<JetStreamClient['publish']>) {
        const loss = losses[sent.length];
        sent.push(args[2]!.msgID!);
        if (loss !== 'before') {
          const stored = await real.publish(...args);
          if (loss === undefined) return stored;
        }
        throw new errors.TimeoutError();
      },
    } as JetStreamClient;
    const watch = { isConnected: true, onReconnect: () => () => undefined };
    const publisher = createPublisher({
      client,
      streams,
      connection: watch,
      isValidating: false,
    });
    return { publisher, sent };
  }

  it.each(['before', 'after'] as const)(
    'sends the same id again when the leader was lost %s it stored the message, and one is stored',
    async (loss) => {
      const { lastSeq } = await streams.read('block');
      const { publisher, sent } = publishWith([loss, loss]);
      const messageId = `lost-${loss}`;
      await publisher.publish('block.new', { tokens: [CHAIN], payload: PAYLOAD, messageId });
      expect(sent).toEqual([messageId, messageId, messageId]);
      expect((await streams.read('block')).lastSeq).toBe(lastSeq + 1);
    },
  );

  it('does not send again what was refused', async () => {
    const refused = { publish: () => Promise.reject(new TypeError('no')) } as unknown as JetStreamClient;
    const publisher = createPublisher({
      client: refused,
      streams,
      connection: { isConnected: true, onReconnect: () => () => undefined },
      isValidating: false,
    });
    await expect(
      publisher.publish('block.new', { tokens: [CHAIN], payload: PAYLOAD, ...OPTIONS }),
    ).rejects.toThrow(BusUnavailableError);
  });
});
