// SPDX-License-Identifier: Apache-2.0
import fc from 'fast-check';
import { type Transaction, Block as LibraryBlock } from 'bitcoinjs-lib';
import { IncompleteBlockError, type Block, type Network } from '@chainwatch/chain-core';
import { decodeBlock } from './read-block.ts';
import { readTraits } from './networks.ts';
import { HEADER_LENGTH } from './parse-header.ts';
import { buildSpecBlock, buildSpecTransaction } from './spec-blocks.ts';
import { describeFixtures, networkNamed, readBlockFixture } from './spec-fixtures.ts';

const regtest = networkNamed('bitcoin-regtest');
const mainnet = networkNamed('bitcoin');

function decode(
  block: LibraryBlock,
  bytes: Buffer = Buffer.from(block.toBuffer()),
  { network = regtest, number = 500_000 }: { network?: Network; number?: number } = {},
): Block {
  return decodeBlock({ number, hash: block.getId() }, bytes, readTraits(network));
}

/** The bytes of the same header over other transactions. */
function withTransactions(
  block: LibraryBlock,
  change: (transactions: Transaction[]) => Transaction[],
): Buffer {
  const copy = LibraryBlock.fromBuffer(block.toBuffer());
  copy.transactions = change(copy.transactions!);
  return Buffer.from(copy.toBuffer());
}

const transactions = [
  buildSpecTransaction(),
  buildSpecTransaction({ hasWitness: false }),
  buildSpecTransaction(),
  buildSpecTransaction(),
];
// Five with the coinbase: the tree has an odd level at both ends.
const honest = buildSpecBlock({ transactions });

describe('an honest block', () => {
  it('is taken', () => {
    expect(decode(honest).transactions.map(({ hash }) => hash)).toEqual(
      honest.transactions!.map((transaction) => transaction.getId()),
    );
  });

  it.each([0, 1, 2, 3, 6, 7, 12, 33])('of %i payments is taken', (count) => {
    const block = buildSpecBlock({
      transactions: Array.from({ length: count }, () => buildSpecTransaction()),
    });
    expect(decode(block).transactions).toHaveLength(count + 1);
  });

  it('without a witness needs no commitment', () => {
    const block = buildSpecBlock({
      transactions: [buildSpecTransaction({ hasWitness: false })],
      hasCommitment: false,
    });
    expect(decode(block).transactions).toHaveLength(2);
  });

  it('from before segwit may hold a commitment that nothing stands behind', () => {
    const block = buildSpecBlock({ transactions: [buildSpecTransaction({ hasWitness: false })] });
    const bare = withTransactions(block, (all) => all.map(stripWitness));
    expect(decode(block, bare, { network: mainnet, number: 481_823 }).transactions).toHaveLength(2);
    expect(() => decode(block, bare, { network: mainnet, number: 481_824 })).toThrow('reserved value');
  });
});

describe('a tampered block is refused:', () => {
  const cases: [name: string, bytes: Buffer, message: RegExp][] = [
    ['a transaction removed', withTransactions(honest, (all) => all.toSpliced(2, 1)), /merkle root/],
    ['the last transaction removed', withTransactions(honest, (all) => all.slice(0, -1)), /merkle root/],
    [
      'two transactions exchanged',
      withTransactions(honest, ([coinbase, a, b, ...rest]) => [coinbase!, b!, a!, ...rest]),
      /merkle root/,
    ],
    [
      'the last transaction twice, under the same root (CVE-2012-2459)',
      withTransactions(honest, (all) => [...all, all.at(-1)!]),
      /twice under the same merkle root/,
    ],
    [
      'an output changed',
      withTransactions(honest, (all) => change(all, 1, (transaction) => (transaction.outs[0]!.value += 1n))),
      /merkle root/,
    ],
    [
      'an outpoint changed',
      withTransactions(honest, (all) => change(all, 1, (transaction) => (transaction.ins[0]!.index += 1))),
      /merkle root/,
    ],
    [
      'a witness changed',
      withTransactions(honest, (all) =>
        change(all, 1, (transaction) => (transaction.ins[0]!.witness[0]![3]! ^= 1)),
      ),
      /witness commitment/,
    ],
    [
      'a witness removed',
      withTransactions(honest, (all) => all.with(1, stripWitness(all[1]!))),
      /witness commitment/,
    ],
    ['every witness removed', withTransactions(honest, (all) => all.map(stripWitness)), /reserved value/],
    [
      'the reserved value changed',
      withTransactions(honest, (all) =>
        change(all, 0, (coinbase) => coinbase.setWitness(0, [Buffer.alloc(32, 1)])),
      ),
      /witness commitment/,
    ],
    ['nothing but the coinbase', withTransactions(honest, (all) => all.slice(0, 1)), /merkle root/],
    ['the header alone', Buffer.from(honest.toBuffer()).subarray(0, HEADER_LENGTH), /expected/],
    ['half of the bytes', Buffer.from(honest.toBuffer()).subarray(0, 400), /expected/],
    ['no bytes', Buffer.alloc(0), /80 bytes, got 0/],
    ['bytes after the end', Buffer.concat([honest.toBuffer(), Buffer.from([0])]), /1 bytes more/],
    ['a number of transactions beyond reason', withCount(honest, 'ffffffffffffffffff'), /expected a length/],
    ['more transactions than bytes', withCount(honest, 'feffffffff'), /items/],
  ];

  it.each(cases)('%s', (_name, bytes, message) => {
    expect(() => decode(honest, bytes)).toThrow(IncompleteBlockError);
    expect(() => decode(honest, bytes)).toThrow(message);
  });

  it('the end of the list twice, on either level of the tree (CVE-2012-2459)', () => {
    const three = buildSpecBlock({ transactions: transactions.slice(0, 2) });
    expect(() =>
      decode(
        three,
        withTransactions(three, (all) => [...all, all.at(-1)!]),
      ),
    ).toThrow('twice under the same merkle root');
    const six = buildSpecBlock({ transactions: [...transactions, buildSpecTransaction()] });
    expect(() =>
      decode(
        six,
        withTransactions(six, (all) => [...all, ...all.slice(-2)]),
      ),
    ).toThrow('twice under the same merkle root');
  });

  it('the header of another block', () => {
    const other = buildSpecBlock({ transactions });
    const bytes = Buffer.concat([
      other.toBuffer(true),
      Buffer.from(honest.toBuffer()).subarray(HEADER_LENGTH),
    ]);
    expect(() => decode(honest, bytes)).toThrow(/expected hash/);
    expect(() => decode(other, bytes)).toThrow(/merkle root/);
  });

  it('a header without the work that it claims', () => {
    const block = buildSpecBlock({ transactions });
    block.bits = 0x1d00ffff;
    expect(() => decode(block)).toThrow(/target/);
    block.bits = 0xff7fffff;
    expect(() => decode(block)).toThrow(/target/);
    // A negative target.
    block.bits = 0x20ffffff;
    expect(() => decode(block)).toThrow(/target/);
  });

  it('a coinbase that is not in front, twice there, or not there', () => {
    expect(() => decode(buildSpecBlock({ transactions, coinbaseAt: 1 }))).toThrow(
      'one coinbase, in front, got one at 1',
    );
    const coinbase = honest.transactions![0]!;
    expect(() => decode(buildSpecBlock({ transactions: [coinbase], hasCommitment: false }))).toThrow(
      'one coinbase, in front, got one at 0, 1',
    );
  });

  it('a witness in a block that commits to none', () => {
    expect(() => decode(buildSpecBlock({ transactions, hasCommitment: false }))).toThrow(
      'no witness in a block without',
    );
  });

  it('any byte changed', () => {
    const bytes = Buffer.from(honest.toBuffer());
    fc.assert(
      fc.property(fc.nat(bytes.length - 1), fc.integer({ min: 1, max: 255 }), (at, mask) => {
        const changed = Buffer.from(bytes);
        changed[at]! ^= mask;
        expect(() => decode(honest, changed)).toThrow(IncompleteBlockError);
      }),
      { numRuns: 2_000 },
    );
  });

  it('any bytes at all', () => {
    const header = Buffer.from(honest.toBuffer(true));
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 400 }), (body) => {
        expect(() => decode(honest, Buffer.concat([header, body]))).toThrow(IncompleteBlockError);
      }),
      { numRuns: 2_000 },
    );
  });
});

describeFixtures('a recorded block with', () => {
  it.each(['mainnet-702861', 'signet-31500', 'mainnet-333961'])('%s: one byte changed is refused', (name) => {
    const { ref, bytes, network } = readBlockFixture(name);
    for (let step = 0; step < 40; step++) {
      const changed = Buffer.from(bytes);
      changed[Math.floor((step / 40) * bytes.length)]! ^= 0x10;
      expect(() => decodeBlock(ref, changed, readTraits(network))).toThrow(IncompleteBlockError);
    }
  });
});

function change(
  all: readonly Transaction[],
  at: number,
  edit: (transaction: Transaction) => unknown,
): Transaction[] {
  const copy = all[at]!.clone();
  copy.ins.forEach((input, index) =>
    copy.setWitness(
      index,
      input.witness.map((item) => Uint8Array.from(item)),
    ),
  );
  edit(copy);
  return all.with(at, copy) as Transaction[];
}

function stripWitness(transaction: Transaction): Transaction {
  const copy = transaction.clone();
  copy.stripWitnesses();
  return copy;
}

function withCount(block: LibraryBlock, countHex: string): Buffer {
  const bytes = Buffer.from(block.toBuffer());
  return Buffer.concat([
    bytes.subarray(0, HEADER_LENGTH),
    Buffer.from(countHex, 'hex'),
    bytes.subarray(HEADER_LENGTH + 1),
  ]);
}
