// SPDX-License-Identifier: Apache-2.0
import { connect } from '@nats-io/transport-node';
import { jetstreamManager, type JetStreamManager } from '@nats-io/jetstream';
import { startNats, startTcpProxy, waitFor, type NatsHandle } from '@chainwatch/testing';
import { createBus, type Bus, type BusMessage, type BusOptions } from './index.ts';
import type { FlowService, PayloadOf } from '@chainwatch/events';

const CHAIN = 'eip155:1';

function blockNew(seq: number): PayloadOf<'block.new'> {
  return {
    schema: 1,
    seq,
    type: 'block',
    chain_gid: CHAIN,
    number: seq,
    hash: `0x${seq}`,
    parent_hash: `0x${seq - 1}`,
    timestamp: 1,
  };
}

describe('createBus', () => {
  let nats: NatsHandle;
  const open: Bus<FlowService>[] = [];

  beforeEach(async () => {
    nats = await startNats();
  });
  afterEach(async () => {
    await Promise.all(open.splice(0).map((bus) => bus.close()));
    await nats.stop();
  });

  async function start<S extends FlowService>(service: S, options: BusOptions = {}): Promise<Bus<S>> {
    const bus = await createBus(service, { url: nats.url, isValidating: true, ...options });
    open.push(bus as unknown as Bus<FlowService>);
    return bus;
  }

  const publish = (bus: Bus<'block-ingestor'>, seq: number, traceparent?: string) =>
    bus.publish('block.new', {
      tokens: [CHAIN],
      payload: blockNew(seq),
      messageId: `${CHAIN}:${seq}`,
      traceparent,
    });
  const seqs = (messages: readonly BusMessage<'block.new'>[]): number[] =>
    messages.map(({ payload }) => payload.seq);
  const upTo = (last: number): number[] => Array.from({ length: last }, (_, index) => index + 1);

  /** Consumes `block.new`, and waits until it does. */
  async function follow(bus: Bus<'tx-analyzer'>, tokens: readonly string[] = [CHAIN]) {
    const received: BusMessage<'block.new'>[] = [];
    const state = { received, opened: 0, stop: async (): Promise<void> => undefined };
    state.stop = bus.consume(['block.new'], tokens, {
      onMessage: (message) => void received.push(message),
      onOpen: () => (state.opened += 1),
    });
    await waitFor(() => state.opened > 0);
    return state;
  }

  /** What an operator with the rights to do so does. */
  async function administer<T>(work: (manager: JetStreamManager) => Promise<T>): Promise<T> {
    const stranger = await connect({ servers: nats.url });
    try {
      return await work(await jetstreamManager(stranger));
    } finally {
      await stranger.close();
    }
  }
  const consumersOf = (stream: string) => administer((manager) => manager.consumers.list(stream).next());

  it('sends a bell every message in order, without its payload', async () => {
    const ingestor = await start('block-ingestor');
    const ids: (string | undefined)[] = [];
    let isOpen = false;
    (await start('tx-analyzer')).consume(['block.new'], [CHAIN], {
      isBell: true,
      onMessage: (message) => {
        expect(() => message.payload).toThrow(SyntaxError);
        ids.push(message.messageId);
      },
      onOpen: () => (isOpen = true),
    });
    await waitFor(() => isOpen);
    await Promise.all(upTo(500).map((seq) => publish(ingestor, seq)));
    await waitFor(() => ids.length >= 500);
    expect(ids).toEqual(upTo(500).map((seq) => `${CHAIN}:${seq}`));
    const [consumer] = await consumersOf('block');
    expect(consumer!.config.headers_only).toBe(true);
  });

  it('delivers what was published concurrently in the order of the calls, with the trace context', async () => {
    const ingestor = await start('block-ingestor');
    const { received } = await follow(await start('tx-analyzer'));
    const traceparent = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';
    await Promise.all(upTo(2_500).map((seq) => publish(ingestor, seq, traceparent)));
    await waitFor(() => received.length >= 2_500);
    expect(seqs(received)).toEqual(upTo(2_500));
    expect(received[0]).toMatchObject({
      kind: 'block.new',
      subject: `block.new.${CHAIN}`,
      tokens: [CHAIN],
      messageId: `${CHAIN}:1`,
      traceparent,
      sequence: undefined,
    });
  });

  it('delivers from now on: nothing of before the opening, everything after it', async () => {
    const ingestor = await start('block-ingestor');
    await publish(ingestor, 1);
    const { received } = await follow(await start('tx-analyzer'));
    await publish(ingestor, 2);
    await waitFor(() => received.length > 0);
    expect(seqs(received)).toEqual([2]);
  });

  it('stores a message id once', async () => {
    const ingestor = await start('block-ingestor');
    await publish(ingestor, 1);
    await publish(ingestor, 1);
    await publish(ingestor, 2);
    const stranger = await connect({ servers: nats.url });
    const { state } = await (await jetstreamManager(stranger)).streams.info('block');
    await stranger.close();
    expect(state.messages).toBe(2);
  });

  it('refuses a subject with missing or broken tokens', async () => {
    const ingestor = await start('block-ingestor');
    await expect(
      ingestor.publish('block.new', { tokens: [], payload: blockNew(1), messageId: '1' }),
    ).rejects.toThrow('expected 1 tokens');
    await expect(
      ingestor.publish('block.new', { tokens: ['*'], payload: blockNew(1), messageId: '1' }),
    ).rejects.toThrow('got "*"');
  });

  it('tells the sequence and the type of an event without its payload', async () => {
    const balances = await start('balance-service', { isValidating: false });
    const notifier = await start('notifier');
    const told: object[] = [];
    let isOpen = false;
    void notifier.consume(['balance.changed'], [], {
      onMessage: ({ sequence, type }) => void told.push({ sequence, type }),
      onOpen: () => (isOpen = true),
    });
    await waitFor(() => isOpen);
    await balances.publish('balance.changed', {
      tokens: [CHAIN, 'p'],
      payload: {} as PayloadOf<'balance.changed'>,
      messageId: 'one',
      sequence: 7,
      type: 'balance.changed',
    });
    await waitFor(() => told.length > 0);
    expect(told).toEqual([{ sequence: 7, type: 'balance.changed' }]);
  });

  it('goes on behind a message that cannot be handled', async () => {
    const ingestor = await start('block-ingestor');
    const errors: object[] = [];
    const logger = {
      info: () => undefined,
      warn: () => undefined,
      error: (fields: object) => void errors.push(fields),
    };
    const analyzer = await start('tx-analyzer', { logger });
    const handled: number[] = [];
    let isOpen = false;
    void analyzer.consume(['block.new'], [CHAIN], {
      onMessage: ({ payload }) => void handled.push(payload.seq),
      onOpen: () => (isOpen = true),
    });
    await waitFor(() => isOpen);
    const stranger = await connect({ servers: nats.url });
    await stranger.request(`block.new.${CHAIN}`, '{"schema":');
    await stranger.close();
    await publish(ingestor, 1);
    await waitFor(() => handled.length > 0);
    expect([handled, errors.length]).toEqual([[1], 1]);
  });

  it('tells every replica everything, and of one chain only what is asked for', async () => {
    const ingestor = await start('block-ingestor');
    const [first, second] = [
      await follow(await start('tx-analyzer')),
      await follow(await start('tx-analyzer')),
    ];
    const everything = await follow(await start('tx-analyzer'), []);
    const other = 'eip155:10';
    await ingestor.publish('block.new', {
      tokens: [other],
      payload: { ...blockNew(9), chain_gid: other },
      messageId: 'nine',
    });
    await Promise.all(upTo(3).map((seq) => publish(ingestor, seq)));
    await waitFor(() => [first, second].every(({ received }) => received.length >= 3));
    await waitFor(() => everything.received.length >= 4);
    for (const { received } of [first, second]) expect(seqs(received)).toEqual([1, 2, 3]);
    expect(seqs(everything.received)).toEqual([9, 1, 2, 3]);
  });

  it('keeps the order over the kinds of one stream and leaves out the others', async () => {
    await start('tx-analyzer');
    const notifier = await start('notifier');
    const seen: string[] = [];
    let isOpen = false;
    void notifier.consume(['tx.detected', 'tx.confirmed'], [], {
      onMessage: ({ kind }) => void seen.push(kind),
      onOpen: () => (isOpen = true),
    });
    await waitFor(() => isOpen);
    const raw = await connect({ servers: nats.url });
    const project = '6f1d1f4e-0000-5000-8000-000000000001';
    for (const kind of ['detected', 'reorged', 'confirmed', 'detected'])
      await raw.request(`tx.${kind}.${CHAIN}.${project}`, '{}');
    await waitFor(() => seen.length >= 3);
    expect(seen).toEqual(['tx.detected', 'tx.confirmed', 'tx.detected']);
    await raw.close();
    expect(() =>
      notifier.consume(['tx.detected', 'balance.changed'], [], {
        onMessage: () => undefined,
        onOpen: () => undefined,
      }),
    ).toThrow('expected kinds of stream tx, got balance.changed');
  });

  it('shows its consumers by service and subject, and leaves none behind', async () => {
    const analyzer = await start('tx-analyzer');
    const { stop } = await follow(analyzer);
    await follow(analyzer, []);
    const infos = await consumersOf('block');
    expect(infos.map(({ config }) => config.filter_subject).toSorted()).toEqual([
      'block.new.*',
      `block.new.${CHAIN}`,
    ]);
    expect(infos.every(({ name }) => name.startsWith('tx-analyzer-block_new_'))).toBe(true);
    await stop();
    expect(await consumersOf('block')).toHaveLength(1);
    await analyzer.close();
    open.splice(0);
    expect(await consumersOf('block')).toEqual([]);
  });

  it('tells plain subscribers of every message from now on', async () => {
    const ingestor = await start('block-ingestor');
    const [first, second] = [await start('tx-analyzer'), await start('tx-analyzer')];
    const seen: [Set<number>, Set<number>] = [new Set(), new Set()];
    first.subscribe('block.new', [CHAIN], ({ payload }) => seen[0].add(payload.seq));
    const stop = second.subscribe('block.new', [CHAIN], ({ payload }) => seen[1].add(payload.seq));
    let seq = 0;
    await waitFor(async () => {
      await publish(ingestor, (seq += 1));
      return [...seen[0]].some((entry) => seen[1].has(entry));
    });
    stop();
    await waitFor(async () => {
      const last = Math.max(...seen[1]);
      await publish(ingestor, (seq += 1));
      return Math.max(...seen[0]) > last + 3;
    });
  });

  it('goes on behind the last message when it was cut off: nothing lost, nothing twice', async () => {
    const ingestor = await start('block-ingestor');
    const proxy = await startTcpProxy(nats.port);
    const analyzer = await start('tx-analyzer', { url: `nats://127.0.0.1:${proxy.port}` });
    const follower = await follow(analyzer);
    for (let last = 0; last < 40; last += 20) {
      await Promise.all(upTo(10).map((seq) => publish(ingestor, last + seq)));
      await waitFor(() => follower.received.length === last + 10);
      const { opened } = follower;
      proxy.cut();
      await waitFor(() => !analyzer.isConnected);
      await Promise.all(upTo(10).map((seq) => publish(ingestor, last + 10 + seq)));
      proxy.mend();
      await waitFor(() => follower.opened > opened && follower.received.length === last + 20);
    }
    expect(seqs(follower.received)).toEqual(upTo(40));
    await analyzer.close();
    open.splice(open.indexOf(analyzer as unknown as Bus<FlowService>), 1);
    await proxy.stop();
  });

  it('goes on after the server was away', async () => {
    const ingestor = await start('block-ingestor');
    const analyzer = await start('tx-analyzer');
    const follower = await follow(analyzer);
    await publish(ingestor, 1);
    await waitFor(() => follower.received.length === 1);
    await nats.kill9();
    await waitFor(() => !ingestor.isConnected && !analyzer.isConnected);
    const whileAway = publish(ingestor, 2);
    await nats.restart();
    await whileAway;
    await publish(ingestor, 3);
    await waitFor(() => seqs(follower.received).includes(3));
    expect(seqs(follower.received)).toEqual([1, 2, 3]);
    expect(follower.opened).toBeGreaterThan(1);
  });

  it('opens a consumer as soon as a server is there that was away', async () => {
    const ingestor = await start('block-ingestor');
    const analyzer = await start('tx-analyzer');
    await nats.kill9();
    await waitFor(() => !analyzer.isConnected && !ingestor.isConnected);
    const opening = follow(analyzer);
    await nats.restart();
    const { received } = await opening;
    await publish(ingestor, 1);
    await waitFor(() => received.length > 0);
    expect(seqs(received)).toEqual([1]);
  });

  it('makes a consumer again that was deleted, loudly, and loses nothing', async () => {
    const ingestor = await start('block-ingestor');
    const warnings: object[] = [];
    const logger = {
      info: () => undefined,
      warn: (fields: object) => void warnings.push(fields),
      error: () => undefined,
    };
    const follower = await follow(await start('tx-analyzer', { logger }));
    // Before its first message: what stood in the stream before must not come.
    const remove = async (): Promise<void> => {
      const { opened } = follower;
      for (const { name } of await consumersOf('block'))
        await administer((manager) => manager.consumers.delete('block', name));
      const [next] = [follower.received.length + 1];
      await Promise.all([0, 1, 2].map((more) => publish(ingestor, next + more)));
      await waitFor(() => follower.opened > opened && follower.received.length === next + 2);
    };
    await remove();
    await remove();
    expect(seqs(follower.received)).toEqual(upTo(6));
    expect(warnings.length).toBeGreaterThanOrEqual(2);
  });

  it('never delivers the past when its consumer is deleted before the first message', async () => {
    const ingestor = await start('block-ingestor');
    await Promise.all(upTo(20).map((seq) => publish(ingestor, seq)));
    const follower = await follow(await start('tx-analyzer'));
    for (const { name } of await consumersOf('block'))
      await administer((manager) => manager.consumers.delete('block', name));
    await waitFor(() => follower.opened > 1);
    await publish(ingestor, 21);
    await waitFor(() => follower.received.length > 0);
    expect(seqs(follower.received)).toEqual([21]);
  });

  it('makes a stream again that was deleted, says so, and goes on', async () => {
    const ingestor = await start('block-ingestor');
    const analyzer = await start('tx-analyzer');
    const recreated: string[] = [];
    const follower = await follow(analyzer);
    await Promise.all(upTo(5).map((seq) => publish(ingestor, seq)));
    await waitFor(() => follower.received.length === 5);
    analyzer.onStreamsRecreated((stream) => recreated.push(stream));
    const before = analyzer.streamState('block').incarnation;
    const { opened } = follower;
    await administer((manager) => manager.streams.delete('block'));
    await waitFor(() => follower.opened > opened);
    expect(recreated).toEqual(['block']);
    expect(analyzer.streamState('block').incarnation).not.toBe(before);
    await publish(ingestor, 6);
    await waitFor(() => follower.received.length === 6);
    expect(seqs(follower.received)).toEqual(upTo(6));
  });

  it('goes on at the end of a stream that forgot what it had stored last', async () => {
    const ingestor = await start('block-ingestor');
    const analyzer = await start('tx-analyzer');
    const follower = await follow(analyzer);
    await Promise.all(upTo(5).map((seq) => publish(ingestor, seq)));
    await waitFor(() => follower.received.length === 5);
    const { opened } = follower;
    // The same stream, from an older copy of the disk.
    await administer(async (manager) => {
      const { config } = await manager.streams.info('block');
      // A service that misses it may be faster, with another one.
      await waitFor(async () => {
        await manager.streams.delete('block');
        return manager.streams.add({ ...config, name: 'block' });
      });
    });
    await waitFor(() => follower.opened > opened);
    await publish(ingestor, 6);
    await waitFor(() => follower.received.length === 6);
    expect(analyzer.streamState('block').lastSeq).toBeLessThan(5);
  });

  it('makes streams and consumers again after a wipe, and says so', async () => {
    const ingestor = await start('block-ingestor');
    const analyzer = await start('tx-analyzer');
    const follower = await follow(analyzer);
    await publish(ingestor, 1);
    await waitFor(() => follower.received.length === 1);
    const before = ingestor.streamState('block').incarnation;
    const recreated: string[] = [];
    analyzer.onStreamsRecreated((stream) => recreated.push(`analyzer ${stream}`));
    ingestor.onStreamsRecreated((stream) => recreated.push(`ingestor ${stream}`));
    await waitFor(() => recreated.length > 0);
    recreated.length = 0;
    const { opened } = follower;
    await nats.wipe();
    await waitFor(() => recreated.includes('analyzer block') && recreated.includes('ingestor tx'));
    expect((await ingestor.readStream('block')).incarnation).not.toBe(before);
    await waitFor(() => follower.opened > opened);
    await publish(ingestor, 2);
    await waitFor(() => seqs(follower.received).includes(2));
  });

  it('counts what it published as stored', async () => {
    const ingestor = await start('block-ingestor');
    expect(ingestor.streamState('block').lastSeq).toBe(0);
    await Promise.all(upTo(7).map((seq) => publish(ingestor, seq)));
    expect(ingestor.streamState('block').lastSeq).toBe(7);
    expect(await ingestor.readStream('block')).toEqual(ingestor.streamState('block'));
  });

  it('gives up a start without a server with one sentence that says what to do', async () => {
    await nats.kill9();
    await expect(createBus('notifier', { url: nats.url, waitMs: 300 })).rejects.toMatchObject({
      code: 'bus_unavailable',
      retryable: true,
      message: expect.stringContaining('start nats-server with -js'),
    });
  });

  it('waits at its start for a server that comes up', async () => {
    await nats.kill9();
    const starting = start('notifier', { waitMs: 10_000 });
    await nats.restart();
    expect((await starting).isConnected).toBe(true);
  });

  it('rejects a publish when the server is silent, retryably', async () => {
    const ingestor = await start('block-ingestor');
    nats.pause();
    // The signal takes effect after a moment; from then on nothing is answered.
    let failure: unknown;
    for (let seq = 1; failure === undefined; seq += 1)
      await publish(ingestor, seq).catch((error: unknown) => (failure = error));
    nats.resume();
    expect(failure).toMatchObject({ code: 'bus_unavailable', retryable: true });
    await waitFor(() => publish(ingestor, 0).then(() => true));
  });
});
