// SPDX-License-Identifier: Apache-2.0
import { RLP } from '@ethereumjs/rlp';
import { hexToBytes, keccak256, type Hex } from 'viem';
import { encodeHeader } from './parse-header.ts';
import type { RawBlock } from './raw-block.ts';
import { account, makeItem, readMade, type Changes } from './spec-read.ts';
import recorded from './vectors/recorded-parts.json' with { type: 'json' };

// Berachain's blocks are generated: no recorded one is at hand. Its first transaction is the one that bera-geth made.
const { hash: _, ...proof } = recorded.berachain.transaction;
const key = `0x${'b1'.repeat(48)}`;
const header = {
  blobGasUsed: '0x0',
  excessBlobGas: '0x0',
  parentBeaconBlockRoot: `0x${'bb'.repeat(32)}`,
  requestsHash: `0x${'c7'.repeat(32)}`,
  parentProposerPubkey: key,
};
const items = [
  makeItem(proof, { gas: 0 }),
  makeItem({ from: account('a1'), to: account('b2'), value: '0x5' }, { gas: 21_000 }),
];
const read = (changes: Changes = {}) => readMade('berachain', items, { header, ...changes });

describe('a block of Berachain', () => {
  it('has the key of the parent’s proposer behind the hash of the requests', () => {
    const whole = { ...header, number: '0x1', logsBloom: '0x', baseFeePerGas: '0x7' } as unknown as RawBlock;
    const fields = RLP.decode(encodeHeader(whole)) as Uint8Array[];
    expect(fields).toHaveLength(22);
    expect(fields[20]).toEqual(hexToBytes(header.requestsHash as Hex));
    expect(fields[21]).toEqual(hexToBytes(key as Hex));
    expect(keccak256(encodeHeader({ ...whole, parentProposerPubkey: null }))).not.toBe(
      keccak256(encodeHeader(whole)),
    );
  });

  it('is proved, and begins with a call that nobody sends and nobody pays', async () => {
    const { transactions } = await read();
    expect(transactions[0]).toMatchObject({ from: undefined, fee: undefined, transfers: [] });
    expect(transactions[0]?.signature).toBeUndefined();
    expect(transactions[1]).toMatchObject({
      from: account('a1'),
      fee: { amountRaw: 21_000n * 1_000_000_000n },
      transfers: [{ amountRaw: 5n, type: 'native' }],
    });
  });

  it.each<[string, Changes, string]>([
    ['another key', { block: (it) => ({ ...it, parentProposerPubkey: `0x${'b2'.repeat(48)}` }) }, 'its hash'],
    ['no key', { block: ({ parentProposerPubkey: _key, ...it }) => it }, 'its hash'],
    [
      'another nonce of the call',
      {
        block: (it) => {
          const [first, ...others] = it['transactions'] as object[];
          return { ...it, transactions: [{ ...first, nonce: '0xa' }, ...others] };
        },
      },
      'hash of transaction 0',
    ],
    ['a failed call', { receipt: (it, at) => (at === 0 ? { ...it, status: '0x0' } : it) }, 'receiptsRoot'],
  ])('is refused with %s', async (_name, changes, message) => {
    await expect(read(changes)).rejects.toThrow(message);
  });

  it('pays its withdrawals in the native coin, which the withdrawals’ root covers', async () => {
    const withdrawals = [{ index: '0x1', validatorIndex: '0x2', address: account('e6'), amount: '0x3' }];
    const { balanceChanges } = await read({ withdrawals });
    expect(balanceChanges).toContainEqual({
      address: account('e6'),
      assetGid: 'eip155:80094/slip44:8008',
      amountRaw: 3_000_000_000n,
      reason: 'withdrawal',
    });
    await expect(
      read({ withdrawals, block: (it) => ({ ...it, withdrawals: [{ ...withdrawals[0], amount: '0x4' }] }) }),
    ).rejects.toThrow('withdrawalsRoot');
  });
});
