import { waitFor } from '@chainwatch/testing';
import { createFakeBroker } from './index.ts';

const CHAIN = 'eip155:1';
const blockNew = (seq: number) => ({
  schema: 1 as const,
  seq,
  type: 'block' as const,
  chain_gid: CHAIN,
  number: seq,
  hash: '0x1',
  parent_hash: '0x0',
  timestamp: 1,
});

describe('createFakeBroker', () => {
  it('delivers in order, tries refused messages again and drops known ids', async () => {
    const broker = createFakeBroker();
    const ingestor = broker.connect('block-ingestor');
    for (const seq of [1, 2, 2, 3])
      await ingestor.publish('block.new', [CHAIN], blockNew(seq), { messageId: String(seq) });
    const seen: string[] = [];
    const stop = await broker
      .connect('tx-analyzer')
      .consume(['block.new'], { durable: 'a', tokens: [CHAIN] }, async ({ payload, deliveryCount }) => {
        seen.push(`${payload.seq}/${deliveryCount}`);
        if (payload.seq === 2 && deliveryCount === 1) throw new Error('not now');
      });
    await waitFor(() => seen.length === 4);
    await stop();
    expect(seen).toEqual(['1/1', '2/1', '2/2', '3/1']);
  });

  it('shares a durable, but tells every plain subscriber', async () => {
    const broker = createFakeBroker();
    const ingestor = broker.connect('block-ingestor');
    const [consumed, heard]: [number[], number[]] = [[], []];
    const replicas = [broker.connect('tx-analyzer'), broker.connect('tx-analyzer')];
    for (const replica of replicas) {
      await replica.consume(
        ['block.new'],
        { durable: 'a' },
        async ({ payload }) => void consumed.push(payload.seq),
      );
      replica.subscribe('block.new', [], ({ payload }) => heard.push(payload.seq));
    }
    for (const seq of [1, 2, 3])
      await ingestor.publish('block.new', [CHAIN], blockNew(seq), { messageId: String(seq) });
    await waitFor(() => consumed.length >= 3 && heard.length >= 6);
    await Promise.all(replicas.map((replica) => replica.close()));
    expect(consumed.toSorted()).toEqual([1, 2, 3]);
    expect(heard).toHaveLength(6);
  });

  it('rejects while down and for a payload that does not fit, and tells of a wipe', async () => {
    const broker = createFakeBroker();
    const ingestor = broker.connect('block-ingestor');
    await expect(
      ingestor.publish('block.new', [CHAIN], { ...blockNew(1), seq: -1 }, { messageId: '1' }),
    ).rejects.toThrow('seq');
    broker.isUp = false;
    await expect(
      ingestor.publish('block.new', [CHAIN], blockNew(1), { messageId: '1' }),
    ).rejects.toMatchObject({ retryable: true });
    const words: string[] = [];
    const before = ingestor.streamIncarnation('block');
    ingestor.onStreamsRecreated((word) => words.push(word));
    broker.wipe();
    expect(words.toSorted()).toEqual(['address', 'balance', 'block', 'chain', 'key', 'tx']);
    expect(ingestor.streamIncarnation('block')).not.toBe(before);
  });
});
