// SPDX-License-Identifier: Apache-2.0
import { RLP } from '@ethereumjs/rlp';
import type { UnknownContentError } from '@chainwatch/chain-core';
import { applyFork, hasRecorded, readRecorded, readServed, type Fork, type Served } from './spec-fork.ts';

if (!hasRecorded) console.log('skipped: Lagoon (../shared/fixtures/evm is absent)');

/** The last transaction of a block with refunds, as the specification of Lagoon writes it. */
function postExec({ block }: Served): Fork {
  const payload = RLP.encode([1, Number(block.number), [[1, 12_000]]] as never);
  const input = `0x${Buffer.from(payload).toString('hex')}`;
  return {
    transaction: {
      index: block.transactions.length - 1,
      raw: Buffer.concat([Buffer.from([0x7d]), payload]),
      json: { type: '0x7d', from: `0x${'00'.repeat(20)}`, gas: '0x0', value: '0x0', input },
    },
  };
}

/** What nodes of Lagoon add to the receipts of other transactions. It is in no encoding. */
function withRefunds(served: Served): Served {
  return { ...served, receipts: served.receipts.map((receipt) => ({ ...receipt, opGasRefund: '0x2ee0' })) };
}

(hasRecorded ? describe : describe.skip)('a generated block after Lagoon', () => {
  it.each([
    ['gives raw encodings', true],
    ['gives none', false],
  ])('is proved where the node %s, and its refunds are nobody’s', async (_name, hasRaw) => {
    const recorded = readRecorded('base-2000000');
    const made = withRefunds(await applyFork(recorded, postExec(recorded)));
    const block = await readServed('optimism', hasRaw ? made : { ...made, raw: new Map() });
    expect(block.unknowns).toBeUndefined();
    const last = block.transactions.at(-1)!;
    expect([last.from, last.fee, last.verification]).toEqual([undefined, undefined, undefined]);
    const before = await readServed('optimism', recorded);
    expect(block.transactions.slice(0, -1)).toEqual(before.transactions.slice(0, -1));
  });

  it.each(['base', 'ethereum', 'polygon'])(
    'is unknown on %s, where the type means something else',
    async (network) => {
      const recorded = readRecorded(network === 'base' ? 'base-2000000' : 'ethereum-17053184-shanghai');
      const made = await applyFork(recorded, postExec(recorded));
      const error = (await readServed(network, made).catch(
        (reason: unknown) => reason,
      )) as UnknownContentError;
      expect(error.unknowns.map(({ kind }) => kind)).toContain('transaction-type:0x7d');
    },
  );
});
