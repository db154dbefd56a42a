// SPDX-License-Identifier: Apache-2.0
import { Harness } from '../harness.ts';
import { EvmChain } from './evm-chain.ts';

interface Traces {
  readonly type: string;
  readonly from_feed: string;
  readonly from_event: string;
  readonly from_delivery: string;
}

describe('one trace', () => {
  const harness = new Harness(new EvmChain({ epochBlocks: 4 }));
  beforeAll(() => harness.start());
  afterAll(() => harness.stop());

  it('joins a block, what it means and the deliveries that tell it, through every service', async () => {
    const [from, to] = harness.chain.actor.accounts;
    await harness.watch(to!);
    await harness.chain.actor.sendEther(from!, to!, 7n);
    await harness.chain.actor.mine();
    await harness.waitForCursor();
    await harness.settle();
    // What the receiver was sent stands in the record of the attempt.
    const { rows } = await harness.db.query<Traces>(
      `SELECT DISTINCT e.type, substr(f.traceparent, 4, 32) AS from_feed, substr(e.traceparent, 4, 32) AS from_event,
              substr(a.request -> 'headers' ->> 'traceparent', 4, 32) AS from_delivery
       FROM transactions t
       JOIN event_log e ON e.transaction_id = t.id OR (e.type = 'balance.changed' AND e.payload LIKE '%' || t.block_hash || '%')
       JOIN deliveries d ON d.event_id = e.event_id JOIN delivery_attempts a ON a.delivery_id = d.id
       JOIN chain_feed f ON f.chain_gid = t.chain_gid AND CASE WHEN e.type = 'transaction.confirmed' THEN f.type = 'finalize' AND f.number >= t.block_number
         AND f.traceparent IS NOT NULL AND substr(f.traceparent, 4, 32) = substr(e.traceparent, 4, 32) ELSE f.type = 'block' AND f.hash = t.block_hash END
       WHERE t.chain_gid = $1 AND e.type <> 'transaction.progress' ORDER BY e.type`,
      [harness.chain.gid],
    );
    expect(rows.map(({ type }) => type)).toEqual([
      'balance.changed',
      'transaction.confirmed',
      'transaction.detected',
    ]);
    for (const { from_feed, from_event, from_delivery } of rows)
      expect([from_event, from_delivery]).toEqual([from_feed, from_feed]);
    for (const { from_feed } of rows) expect(from_feed).toMatch(/^[0-9a-f]{32}$/);
  });
});
