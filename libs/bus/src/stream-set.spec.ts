import { connect } from '@nats-io/transport-node';
import { jetstreamManager } from '@nats-io/jetstream';
import { findFreePort, startNats, waitFor, type NatsHandle } from '@chainwatch/testing';
import { silentLogger } from './bus-logger.ts';
import { createStreamSet } from './stream-set.ts';

describe('streams', () => {
  it('of a cluster are the same after a change of the leader, though each server has its own time of their making', async () => {
    const cluster = await startCluster();
    const connection = await connect({ servers: cluster.map(({ url }) => url) });
    const manager = await jetstreamManager(connection, { checkAPI: false, timeout: 5_000 });
    const streams = createStreamSet({ connection, manager, replicas: 3, logger: silentLogger });
    const recreated: string[] = [];
    streams.onRecreated((stream) => recreated.push(stream));
    await waitFor(() => streams.ensure().then(() => true), { message: 'the cluster to keep streams' });
    const incarnation = streams.incarnation('tx');
    for (let round = 0; round < 3; round += 1) {
      const { cluster: raft } = await manager.streams.info('tx');
      await connection.request('$JS.API.STREAM.LEADER.STEPDOWN.tx', '', { timeout: 5_000 });
      await waitFor(async () => {
        const leader = (await manager.streams.info('tx')).cluster?.leader;
        return leader !== undefined && leader !== raft?.leader;
      }, { message: 'another leader' });
      await streams.ensure();
    }
    expect([recreated, streams.incarnation('tx')]).toEqual([[], incarnation]);
    await connection.close();
    await Promise.all(cluster.map((nats) => nats.stop()));
  });

  it('are new when the server was wiped, and when it lost what was stored last', async () => {
    const nats = await startNats();
    const connection = await connect({ servers: nats.url, maxReconnectAttempts: -1, reconnectTimeWait: 50 });
    const manager = await jetstreamManager(connection, { checkAPI: false, timeout: 2_000 });
    const streams = createStreamSet({ connection, manager, replicas: 1, logger: silentLogger });
    const recreated = new Set<string>();
    streams.onRecreated((stream) => recreated.add(stream));
    await streams.ensure();
    const incarnation = streams.incarnation('tx');
    await nats.wipe();
    await waitFor(() => streams.ensure().then(() => recreated.has('tx')));
    expect(streams.incarnation('tx')).not.toBe(incarnation);
    recreated.clear();
    await manager.streams.info('tx').then(async ({ config }) => {
      connection.publish('tx.detected.x.y', '{}');
      await waitFor(() => streams.ensure().then(async () => (await manager.streams.info('tx')).state.last_seq > 0));
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

  it('of earlier versions keep what they are', async () => {
    const nats = await startNats();
    const connection = await connect({ servers: nats.url });
    const manager = await jetstreamManager(connection, { checkAPI: false, timeout: 2_000 });
    await manager.streams.add({ name: 'tx', subjects: ['tx.>'] });
    const [one, other] = [1, 2].map(() => createStreamSet({ connection, manager, replicas: 1, logger: silentLogger }));
    const recreated: string[] = [];
    for (const streams of [one!, other!]) streams.onRecreated((stream) => recreated.push(stream));
    for (let round = 0; round < 2; round += 1) await Promise.all([one!.ensure(), other!.ensure()]);
    expect([recreated, one!.incarnation('tx')]).toEqual([[], other!.incarnation('tx')]);
    await connection.close();
    await nats.stop();
  });
});

async function startCluster(): Promise<NatsHandle[]> {
  const routes = await Promise.all([1, 2, 3].map(() => findFreePort()));
  const list = routes.map((port) => `nats://127.0.0.1:${port}`).join(',');
  return Promise.all(routes.map((port, index) => startNats({ args: ['--server_name', `n${index}`, '--cluster_name', 'spec', '--cluster', `nats://127.0.0.1:${port}`, '--routes', list] })));
}
