import { connect } from '@nats-io/transport-node';
import { jetstreamManager } from '@nats-io/jetstream';
import { startNats, waitFor, type NatsHandle } from '@chainwatch/testing';
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
    bus.publish('block.new', [CHAIN], blockNew(seq), { messageId: `${CHAIN}:${seq}`, traceparent });
  const seqs = (messages: readonly BusMessage<'block.new'>[]): number[] =>
    messages.map(({ payload }) => payload.seq);

  it('delivers what was published concurrently in the order of the calls, with the trace context', async () => {
    const ingestor = await start('block-ingestor');
    const analyzer = await start('tx-analyzer');
    const traceparent = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';
    const expected = Array.from({ length: 200 }, (_, index) => index + 1);
    await Promise.all(expected.map((seq) => publish(ingestor, seq, traceparent)));
    const received: BusMessage<'block.new'>[] = [];
    await analyzer.consume(
      ['block.new'],
      { durable: 'a', tokens: [CHAIN] },
      async (message) => void received.push(message),
    );
    await waitFor(() => received.length >= 200);
    expect(seqs(received)).toEqual(expected);
    expect(received[0]).toMatchObject({
      kind: 'block.new',
      subject: `block.new.${CHAIN}`,
      tokens: [CHAIN],
      messageId: `${CHAIN}:1`,
      traceparent,
      deliveryCount: 1,
    });
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
    await expect(ingestor.publish('block.new', [], blockNew(1), { messageId: '1' })).rejects.toThrow(
      'expected 1 tokens',
    );
    await expect(ingestor.publish('block.new', ['*'], blockNew(1), { messageId: '1' })).rejects.toThrow(
      'got "*"',
    );
  });

  it('tries a refused message again before the ones behind it where concurrency is 1', async () => {
    const ingestor = await start('block-ingestor');
    const analyzer = await start('tx-analyzer');
    const seen: string[] = [];
    await analyzer.consume(['block.new'], { durable: 'a' }, async ({ payload, deliveryCount }) => {
      seen.push(`${payload.seq}/${deliveryCount}`);
      if (payload.seq === 2 && deliveryCount < 3) throw new Error('not now');
    });
    await Promise.all([1, 2, 3].map((seq) => publish(ingestor, seq)));
    await waitFor(() => seen.length >= 5);
    expect(seen).toEqual(['1/1', '2/1', '2/2', '2/3', '3/1']);
  });

  it('lets other messages pass a refused one where concurrency is higher', async () => {
    const ingestor = await start('block-ingestor');
    const analyzer = await start('tx-analyzer');
    const seen: string[] = [];
    await analyzer.consume(
      ['block.new'],
      { durable: 'a', concurrency: 4 },
      async ({ payload, deliveryCount }) => {
        seen.push(`${payload.seq}/${deliveryCount}`);
        if (payload.seq === 1 && deliveryCount < 2) throw new Error('not now');
      },
    );
    await Promise.all([1, 2, 3].map((seq) => publish(ingestor, seq)));
    await waitFor(() => seen.includes('1/2'));
    expect(seen).toEqual(['1/1', '2/1', '3/1', '1/2']);
  });

  it('drops a message that is not JSON and goes on', async () => {
    const ingestor = await start('block-ingestor');
    const analyzer = await start('tx-analyzer');
    const stranger = await connect({ servers: nats.url });
    await stranger.request(`block.new.${CHAIN}`, '{"schema":');
    await stranger.close();
    await publish(ingestor, 1);
    const received: BusMessage<'block.new'>[] = [];
    await analyzer.consume(['block.new'], { durable: 'a' }, async (message) => void received.push(message));
    await waitFor(() => received.length > 0);
    expect(seqs(received)).toEqual([1]);
  });

  it('keeps a message whose handler runs longer than the ack wait', async () => {
    const ingestor = await start('block-ingestor');
    const [first, second] = [await start('tx-analyzer'), await start('tx-analyzer')];
    const seen: number[] = [];
    const handler = async ({ payload }: BusMessage<'block.new'>): Promise<void> => {
      seen.push(payload.seq);
      if (payload.seq === 1) await new Promise((resolve) => setTimeout(resolve, 2_500));
    };
    for (const bus of [first, second])
      await bus.consume(['block.new'], { durable: 'a', ackWaitMs: 1_000 }, handler);
    await publish(ingestor, 1);
    await waitFor(() => seen.length === 1);
    await new Promise((resolve) => setTimeout(resolve, 2_400));
    await publish(ingestor, 2);
    await waitFor(() => seen.includes(2));
    expect(seen).toEqual([1, 2]);
  });

  it('shares a durable between replicas, each message to one of them', async () => {
    const ingestor = await start('block-ingestor');
    const seen: [number[], number[]] = [[], []];
    for (const mine of seen) {
      const bus = await start('tx-analyzer');
      await bus.consume(['block.new'], { durable: 'a', concurrency: 2 }, async ({ payload }) => {
        mine.push(payload.seq);
        await new Promise((resolve) => setTimeout(resolve, 5));
      });
    }
    const expected = Array.from({ length: 100 }, (_, index) => index + 1);
    await Promise.all(expected.map((seq) => publish(ingestor, seq)));
    await waitFor(() => seen.flat().length >= 100);
    expect(seen.flat().sort((a, b) => a - b)).toEqual(expected);
    expect(Math.min(seen[0].length, seen[1].length)).toBeGreaterThan(0);
  });

  it('hands what it had taken to another replica when stopped', async () => {
    const ingestor = await start('block-ingestor');
    const [first, second] = [await start('tx-analyzer'), await start('tx-analyzer')];
    let release = (): void => undefined;
    const blocked = new Promise<void>((resolve) => (release = resolve));
    const seen: string[] = [];
    const taken: number[] = [];
    const stop = await first.consume(['block.new'], { durable: 'a' }, async ({ payload }) => {
      taken.push(payload.seq);
      await blocked;
      seen.push(`first ${payload.seq}`);
    });
    await Promise.all([1, 2, 3].map((seq) => publish(ingestor, seq)));
    await waitFor(() => taken.length === 1);
    await second.consume(
      ['block.new'],
      { durable: 'a' },
      async ({ payload }) => void seen.push(`second ${payload.seq}`),
    );
    const stopped = stop();
    release();
    await stopped;
    await waitFor(() => new Set(seen.map((entry) => entry.at(-1))).size === 3, {
      message: () => `three messages, got ${seen.join(', ')}`,
    });
    expect(seen).toHaveLength(3);
  });

  it('keeps the order over the kinds of one stream and leaves out the others', async () => {
    const analyzer = await start('tx-analyzer');
    const notifier = await start('notifier');
    const seen: string[] = [];
    await notifier.consume(
      ['tx.detected', 'tx.confirmed'],
      { durable: 'n' },
      async ({ kind, messageId }) => void seen.push(`${kind} ${messageId}`),
    );
    const raw = await connect({ servers: nats.url });
    const project = '6f1d1f4e-0000-5000-8000-000000000001';
    for (const kind of ['detected', 'reorged', 'confirmed', 'detected'])
      await raw.request(`tx.${kind}.${CHAIN}.${project}`, '{}');
    await waitFor(() => seen.length >= 3);
    expect(seen.map((entry) => entry.split(' ')[0])).toEqual(['tx.detected', 'tx.confirmed', 'tx.detected']);
    expect(analyzer.isConnected).toBe(true);
    await raw.close();
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

  it('tells plain subscribers of hints', async () => {
    const [ingestor, analyzer] = [await start('block-ingestor'), await start('tx-analyzer')];
    const seen = new Set<string>();
    analyzer.subscribe('block.seen', [CHAIN], ({ payload, messageId }) =>
      seen.add(`${messageId} ${payload.hash}`),
    );
    await waitFor(() => {
      ingestor.hint(
        'block.seen',
        [CHAIN],
        { schema: 1, chain_gid: CHAIN, number: 7, hash: '0x7', parent_hash: '0x6' },
        { messageId: 'seven' },
      );
      return seen.has('seven 0x7');
    });
    expect(() =>
      ingestor.hint(
        'block.seen',
        ['a b'],
        { schema: 1, chain_gid: CHAIN, number: 7, hash: '0x7', parent_hash: '0x6' },
        { messageId: 'x' },
      ),
    ).toThrow('expected a token');
  });

  it('goes on after a restart of the server', async () => {
    const ingestor = await start('block-ingestor');
    const analyzer = await start('tx-analyzer');
    const received: BusMessage<'block.new'>[] = [];
    await analyzer.consume(
      ['block.new'],
      { durable: 'a', ackWaitMs: 2_000 },
      async (message) => void received.push(message),
    );
    await publish(ingestor, 1);
    await waitFor(() => received.length === 1);
    await nats.kill9();
    await waitFor(() => !ingestor.isConnected && !analyzer.isConnected);
    const whileAway = publish(ingestor, 2);
    await nats.restart();
    await whileAway;
    await publish(ingestor, 3);
    await waitFor(() => new Set(seqs(received)).size === 3);
    expect(seqs(received).at(-1)).toBe(3);
  });

  it('makes streams and consumers again after a wipe, and says so', async () => {
    const ingestor = await start('block-ingestor');
    const analyzer = await start('tx-analyzer');
    const received: BusMessage<'block.new'>[] = [];
    await analyzer.consume(['block.new'], { durable: 'a' }, async (message) => void received.push(message));
    await publish(ingestor, 1);
    await waitFor(() => received.length === 1);
    const before = ingestor.streamIncarnation('block');
    const recreated: string[] = [];
    analyzer.onStreamsRecreated((stream) => recreated.push(`analyzer ${stream}`));
    ingestor.onStreamsRecreated((stream) => recreated.push(`ingestor ${stream}`));
    await waitFor(() => recreated.length > 0);
    recreated.length = 0;
    await nats.wipe();
    await waitFor(() => recreated.includes('analyzer block') && recreated.includes('ingestor tx'));
    expect(ingestor.streamIncarnation('block')).not.toBe(before);
    await publish(ingestor, 2);
    await waitFor(() => seqs(received).includes(2));
  });

  it('does not acknowledge a message of the wiped stream in the new one', async () => {
    const ingestor = await start('block-ingestor');
    const analyzer = await start('tx-analyzer');
    let release = (): void => undefined;
    const blocked = new Promise<void>((resolve) => (release = resolve));
    const seen: number[] = [];
    await analyzer.consume(['block.new'], { durable: 'a', ackWaitMs: 3_000 }, async ({ payload }) => {
      seen.push(payload.seq);
      if (payload.seq === 1) await blocked;
    });
    await publish(ingestor, 1);
    await waitFor(() => seen.length === 1);
    await nats.wipe();
    await waitFor(() => ingestor.isConnected && analyzer.isConnected);
    await publish(ingestor, 10);
    release();
    await waitFor(() => seen.includes(10));
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
