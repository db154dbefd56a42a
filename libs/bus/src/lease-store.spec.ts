import { JetStreamApiError } from '@nats-io/jetstream';
import { connect } from '@nats-io/transport-node';
import { startNats, startTcpProxy, waitFor, type NatsHandle } from '@chainwatch/testing';
import { createBus, type Bus } from './index.ts';
import { isWrongRevision } from './lease-bucket.ts';

describe('leases', () => {
  let nats: NatsHandle;
  const open: Bus<'block-ingestor'>[] = [];

  beforeEach(async () => {
    nats = await startNats();
  });
  afterEach(async () => {
    await Promise.all(open.splice(0).map((bus) => bus.close()));
    await nats.stop();
  });

  async function start(url = nats.url): Promise<Bus<'block-ingestor'>> {
    const bus = await createBus('block-ingestor', { url });
    open.push(bus);
    return bus;
  }

  it('gives a name to one owner until it is released', async () => {
    const [first, second] = [await start(), await start()];
    const taken = await Promise.all([
      first.leases.tryAcquire('eip155:1', 'a'),
      second.leases.tryAcquire('eip155:1', 'b'),
    ]);
    const [lease, ...others] = taken.filter((entry) => entry !== undefined);
    expect(others).toEqual([]);
    expect(await second.leases.tryAcquire('eip155:2', 'b')).toBeDefined();
    await lease?.release();
    const after = await Promise.all([first, second].map((bus) => bus.leases.tryAcquire('eip155:1', 'c')));
    expect(after.filter((entry) => entry !== undefined)).toHaveLength(1);
  });

  it('is kept for longer than its time to live while the holder renews it', async () => {
    const [first, second] = [await start(), await start()];
    const lease = await first.leases.tryAcquire('eip155:1', 'a');
    const deadline = Date.now() + 8_000;
    await waitFor(
      async () => {
        expect(await second.leases.tryAcquire('eip155:1', 'b')).toBeUndefined();
        return Date.now() > deadline;
      },
      { intervalMs: 500 },
    );
    expect(lease?.lost.aborted).toBe(false);
  });

  it('is given back when the bus is closed', async () => {
    const [first, second] = [await start(), await start()];
    await first.leases.tryAcquire('eip155:1', 'a');
    await open.shift()?.close();
    expect(await second.leases.tryAcquire('eip155:1', 'b')).toBeDefined();
  });

  it('survives a wiped server: the holder takes it again', async () => {
    const first = await start();
    const lease = await first.leases.tryAcquire('eip155:1', 'a');
    await nats.wipe();
    const second = await start();
    const stranger = await connect({ servers: nats.url });
    await waitFor(async () => (await second.leases.tryAcquire('eip155:9', 'b')) !== undefined);
    await stranger.close();
    // Nobody else asked meanwhile; from its next renewal on the holder has it again.
    await waitFor(async () => (await leaseOwner(nats.url, 'eip155=3a1')) === 'a');
    expect(await second.leases.tryAcquire('eip155:1', 'b')).toBeUndefined();
    expect(lease?.lost.aborted).toBe(false);
  });

  it('stays with one of two who took it around a wipe', async () => {
    const [first, second] = [await start(), await start()];
    const lease = await first.leases.tryAcquire('eip155:1', 'a');
    let other: Awaited<ReturnType<typeof second.leases.tryAcquire>>;
    // Whoever comes first has it; again until that is the other one.
    for (let round = 0; round < 10 && other === undefined; round += 1) {
      await nats.wipe();
      await waitFor(
        async () => {
          other = await second.leases.tryAcquire('eip155:1', 'b');
          return other !== undefined || (await leaseOwner(nats.url, 'eip155=3a1')) === 'a';
        },
        { intervalMs: 5 },
      );
    }
    expect(other).toBeDefined();
    await waitFor(() => lease?.lost.aborted || other?.lost.aborted, { message: 'one of them to lose it' });
    const owner = await waitFor(() => leaseOwner(nats.url, 'eip155=3a1'));
    expect([lease?.lost.aborted, other?.lost.aborted]).toEqual(owner === 'a' ? [false, true] : [true, false]);
  });

  it('moves within 10 s when the connection of the holder is cut', async () => {
    const proxy = await startTcpProxy(nats.port);
    const first = await start(`nats://127.0.0.1:${proxy.port}`);
    const second = await start();
    const lease = await first.leases.tryAcquire('eip155:1', 'a');
    proxy.cut();
    await waitFor(() => second.leases.tryAcquire('eip155:1', 'b'), {
      intervalMs: 200,
      message: 'the lease to expire',
    });
    expect(await readTimeToLiveMs(nats.url)).toBeLessThan(10_000);
    expect(lease?.lost.aborted).toBe(false);
    proxy.mend();
    await waitFor(() => lease?.lost.aborted, { message: 'the old holder to notice' });
  });

  it('does not lose a lease because the server is silent for a moment', async () => {
    const first = await start();
    const lease = await first.leases.tryAcquire('eip155:1', 'a');
    nats.pause();
    const resumeAt = Date.now() + 4_000;
    await waitFor(() => Date.now() > resumeAt);
    nats.resume();
    const second = await start();
    const deadline = Date.now() + 5_000;
    await waitFor(() => lease?.lost.aborted || Date.now() > deadline);
    expect(lease?.lost.aborted).toBe(false);
    expect(await second.leases.tryAcquire('eip155:1', 'b')).toBeUndefined();
  });
});

describe('a lease that cannot be asked for', () => {
  it('is not told as held by somebody else', async () => {
    const nats = await startNats();
    const bus = await createBus('block-ingestor', { url: nats.url });
    await bus.leases.tryAcquire('eip155:1', 'a');
    nats.pause();
    // The signal takes effect after a moment; from then on nothing is answered.
    const failure = await waitFor(async () =>
      bus.leases.tryAcquire('eip155:2', 'b').then(
        (lease) => void lease?.release(),
        (error: unknown) => error,
      ),
    );
    expect(failure).toMatchObject({
      code: 'bus_unavailable',
      message: expect.stringContaining('leases cannot be asked for'),
    });
    nats.resume();
    expect(await bus.leases.tryAcquire('eip155:1', 'c')).toBeUndefined();
    await bus.close();
    await nats.stop();
  });
});

describe('the refusal of a write', () => {
  it.each([
    [
      '10071, whatever the server writes',
      new JetStreamApiError({ code: 400, err_code: 10071, description: 'falsche Folgenummer' }),
      true,
    ],
    ['10164', new JetStreamApiError({ code: 400, err_code: 10164, description: '' }), true],
    [
      'another code with the same words',
      new JetStreamApiError({ code: 400, err_code: 10025, description: 'wrong last sequence: 4' }),
      false,
    ],
    ['the words alone', new Error('wrong last sequence: 4'), false],
  ])('is known by its code: %s', (_, error, expected) => {
    expect(isWrongRevision(error)).toBe(expected);
  });
});

async function leaseOwner(url: string, key: string): Promise<string | undefined> {
  const connection = await connect({ servers: url });
  try {
    const answer = await connection.request(
      '$JS.API.STREAM.MSG.GET.KV_leases',
      JSON.stringify({ last_by_subj: `$KV.leases.${key}` }),
    );
    const { message } = answer.json<{ message?: { data: string } }>();
    if (message === undefined) return undefined;
    return (JSON.parse(Buffer.from(message.data, 'base64').toString()) as { owner: string }).owner;
  } finally {
    await connection.close();
  }
}

/** What the server holds a silent owner's lease for. */
async function readTimeToLiveMs(url: string): Promise<number> {
  const connection = await connect({ servers: url });
  try {
    const { config } = (await connection.request('$JS.API.STREAM.INFO.KV_leases')).json<{
      config: { max_age: number };
    }>();
    return config.max_age / 1e6;
  } finally {
    await connection.close();
  }
}
