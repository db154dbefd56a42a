// SPDX-License-Identifier: Apache-2.0
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
  it('delivers to every consumer and subscriber in order, and drops known ids', async () => {
    const broker = createFakeBroker();
    const ingestor = broker.connect('block-ingestor');
    const [consumed, heard]: [number[], number[]] = [[], []];
    let opened = 0;
    const replicas = [broker.connect('tx-analyzer'), broker.connect('tx-analyzer')];
    const stops = replicas.map((replica) => {
      replica.subscribe('block.new', [], ({ payload }) => heard.push(payload.seq));
      return replica.consume(['block.new'], [CHAIN], {
        onMessage: ({ payload }) => consumed.push(payload.seq),
        onOpen: () => (opened += 1),
      });
    });
    for (const seq of [1, 2, 2, 3])
      await ingestor.publish('block.new', {
        tokens: [CHAIN],
        payload: blockNew(seq),
        messageId: String(seq),
      });
    await waitFor(() => consumed.length >= 6 && heard.length >= 6);
    expect([consumed, heard, opened]).toEqual([[1, 1, 2, 2, 3, 3], [1, 1, 2, 2, 3, 3], 2]);
    broker.wipe();
    expect(opened).toBe(4);
    await Promise.all(stops.map((stop) => stop()));
    await ingestor.publish('block.new', { tokens: [CHAIN], payload: blockNew(4), messageId: '4' });
    await waitFor(() => heard.length >= 8);
    expect(consumed).toHaveLength(6);
  });

  it('rejects while down and for a payload that does not fit, and tells of a wipe', async () => {
    const broker = createFakeBroker();
    const ingestor = broker.connect('block-ingestor');
    await expect(
      ingestor.publish('block.new', {
        tokens: [CHAIN],
        payload: { ...blockNew(1), seq: -1 },
        messageId: '1',
      }),
    ).rejects.toThrow('seq');
    broker.isUp = false;
    await expect(
      ingestor.publish('block.new', { tokens: [CHAIN], payload: blockNew(1), messageId: '1' }),
    ).rejects.toMatchObject({ retryable: true });
    const words: string[] = [];
    const before = ingestor.streamState('block').incarnation;
    ingestor.onStreamsRecreated((word) => words.push(word));
    broker.wipe();
    expect(words.toSorted()).toEqual(['address', 'balance', 'block', 'chain', 'key', 'tx']);
    expect(ingestor.streamState('block').incarnation).not.toBe(before);
  });
});
