// SPDX-License-Identifier: Apache-2.0
import { connect } from '@nats-io/transport-node';
import { jetstreamManager, type JetStreamManager, type StreamInfo } from '@nats-io/jetstream';
import { startNats, waitFor } from '@chainwatch/testing';
import { silentLogger } from './silent-logger.ts';
import { createStreamSet } from './stream-set.ts';

describe('streams', () => {
  it('are the same when another server of a cluster answers, which has its own time of their making', async () => {
    const nats = await startNats();
    const connection = await connect({ servers: nats.url });
    const real = await jetstreamManager(connection, { checkAPI: false, timeout: 2_000 });
    const other: { created?: string } = {};
    const info = async (name: string): Promise<StreamInfo> => {
      const answer = await real.streams.info(name);
      return { ...answer, ...(other as object) };
    };
    const manager = {
      streams: {
        info,
        add: real.streams.add.bind(real.streams),
        update: real.streams.update.bind(real.streams),
      },
    } as unknown as JetStreamManager;
    const streams = createStreamSet({ manager, replicas: 1, logger: silentLogger });
    const recreated: string[] = [];
    streams.onRecreated((stream) => recreated.push(stream));
    await streams.ensure();
    const incarnation = streams.stateOf('tx').incarnation;
    other.created = '2020-01-01T00:00:00.000Z';
    await streams.ensure();
    expect([recreated, streams.stateOf('tx').incarnation]).toEqual([[], incarnation]);
    await connection.close();
    await nats.stop();
  });

  it('are new when the server was wiped, and when it lost what was stored last', async () => {
    const nats = await startNats();
    const connection = await connect({ servers: nats.url, maxReconnectAttempts: -1, reconnectTimeWait: 50 });
    const manager = await jetstreamManager(connection, { checkAPI: false, timeout: 2_000 });
    const streams = createStreamSet({ manager, replicas: 1, logger: silentLogger });
    const recreated = new Set<string>();
    streams.onRecreated((stream) => recreated.add(stream));
    await streams.ensure();
    const incarnation = streams.stateOf('tx').incarnation;
    await nats.wipe();
    await waitFor(() => streams.ensure().then(() => recreated.has('tx')));
    expect(streams.stateOf('tx').incarnation).not.toBe(incarnation);
    recreated.clear();
    await manager.streams.info('tx').then(async ({ config }) => {
      connection.publish('tx.detected.x.y', '{}');
      await waitFor(() =>
        streams.ensure().then(async () => (await manager.streams.info('tx')).state.last_seq > 0),
      );
      await streams.ensure();
      // The same name, and fewer messages: a disk that went back in time.
      await manager.streams.delete('tx');
      await manager.streams.add({ name: 'tx', subjects: config.subjects, description: config.description });
    });
    await streams.ensure();
    expect([...recreated]).toEqual(['tx']);
    await connection.close();
    await nats.stop();
  });

  it('have as many replicas as is configured after every start, and go on with what they have where that is refused', async () => {
    const nats = await startNats();
    const connection = await connect({ servers: nats.url });
    const real = await jetstreamManager(connection, { checkAPI: false, timeout: 2_000 });
    await createStreamSet({ manager: real, replicas: undefined, logger: silentLogger }).ensure();
    const updated: [name: string, replicas: number | undefined][] = [];
    const manager = {
      streams: {
        info: real.streams.info.bind(real.streams),
        update: async (name: string, config: { num_replicas?: number }) => {
          updated.push([name, config.num_replicas]);
        },
      },
    } as unknown as JetStreamManager;
    for (const replicas of [undefined, 1]) {
      await createStreamSet({ manager, replicas, logger: silentLogger }).keepReplicas();
      expect(updated).toEqual([]);
    }
    await createStreamSet({ manager, replicas: 3, logger: silentLogger }).keepReplicas();
    expect(updated.toSorted()).toEqual(
      ['address', 'balance', 'block', 'chain', 'key', 'tx'].map((name) => [name, 3]),
    );
    const refused: object[] = [];
    const logger = { ...silentLogger, error: (fields: object) => void refused.push(fields) };
    const stubborn = {
      streams: { ...manager.streams, update: () => Promise.reject(new Error('insufficient resources')) },
    } as unknown as JetStreamManager;
    await createStreamSet({ manager: stubborn, replicas: 3, logger }).keepReplicas();
    expect(refused).toContainEqual({ stream: 'tx', replicas: 3, err: new Error('insufficient resources') });
    await connection.close();
    await nats.stop();
  });

  it('of earlier versions keep what they are', async () => {
    const nats = await startNats();
    const connection = await connect({ servers: nats.url });
    const manager = await jetstreamManager(connection, { checkAPI: false, timeout: 2_000 });
    await manager.streams.add({ name: 'tx', subjects: ['tx.>'] });
    const [one, other] = [1, 2].map(() => createStreamSet({ manager, replicas: 1, logger: silentLogger }));
    const recreated: string[] = [];
    for (const streams of [one!, other!]) streams.onRecreated((stream) => recreated.push(stream));
    for (let round = 0; round < 2; round += 1) await Promise.all([one!.ensure(), other!.ensure()]);
    expect([recreated, one!.stateOf('tx').incarnation]).toEqual([[], other!.stateOf('tx').incarnation]);
    await connection.close();
    await nats.stop();
  });
});
