// SPDX-License-Identifier: Apache-2.0
import { Block as LibraryBlock, type Transaction } from 'bitcoinjs-lib';
import type { Block } from '@chainwatch/chain-core';
import { BitcoinClient } from './bitcoin-client.ts';
import { decodeBlock } from './read-block.ts';
import { hash256, toHashText } from './hash.ts';
import { readTraits } from './networks.ts';
import { buildSpecBlock, buildSpecTransaction } from './spec-blocks.ts';
import { startFakeNode, type FakeNode } from './spec-fake-node.ts';
import { flagAsUnknown, toFields, type Fields, type Told } from './spec-fields.ts';
import { describeFixtures, networkNamed, readBlockFixture } from './spec-fixtures.ts';

const take = { takeUnknown: true };

describeFixtures('unknown: a real block', () => {
  const { ref, bytes, network } = readBlockFixture('signet-31500');
  const honest = LibraryBlock.fromBuffer(bytes).transactions!.map(toFields);
  let node: FakeNode;
  let client: BitcoinClient;
  let told: Told;

  beforeAll(async () => {
    const prevout = { value: 1, scriptPubKey: { hex: '51' } };
    const getblock = (_hash: string, verbosity: number) =>
      verbosity === 0
        ? told.bytes.toString('hex')
        : {
            hash: ref.hash,
            future: 1,
            tx: told.tx.map((one) => ({ ...one, vin: one.vin.map((input) => ({ ...input, prevout })) })),
          };
    const getrawtransaction = (txid: string) => told.tx.find((one) => one.txid === txid)!.hex;
    node = await startFakeNode({ methods: { getblock, getrawtransaction } });
    client = new BitcoinClient({ network, endpointUrl: node.url });
  });
  afterAll(async () => {
    client.close();
    await node.stop();
  });

  const read = (options?: typeof take): Promise<Block> => client.readBlock(ref, undefined, options);
  const marksOf = ({ transactions }: Block): number[] =>
    transactions.flatMap(({ verification, index }) => (verification === 'unproved' ? [index] : []));
  /** A transaction with a witness, and not the coinbase. */
  const at = honest.findIndex(({ hex }, index) => index > 0 && hex.slice(8, 12) === '0001');
  const flagged = (flag: string): Told => flagAsUnknown(bytes, { tx: honest, at, flag });
  const change = (index: number, edit: Partial<Fields>): Told => {
    const { bytes: raw, tx } = flagged('02');
    return { bytes: raw, tx: tx.with(index, { ...tx[index]!, ...edit }) };
  };
  let known: Block;

  beforeAll(async () => {
    told = { bytes, tx: honest };
    known = await read();
  });

  it('is taken as it is, from its bytes alone', () => {
    expect([at > 0, known.unknowns, marksOf(known), known.transactions.length]).toEqual([
      true,
      undefined,
      [],
      honest.length,
    ]);
    expect(node.calls.map(({ params }) => params[1])).toEqual([0]);
  });

  it('shows no transaction of bytes that it cannot read, as another node may', async () => {
    told = flagged('02');
    const { txid } = honest[at]!;
    expect((await client.readProofs(ref, [txid])).get(txid)).toEqual({
      type: 'none',
      reason: expect.stringContaining('whose encoding is not known'),
      othersMayShow: true,
    });
  });

  describe('(a) with a transaction whose bytes are laid out in a way that is not known', () => {
    it.each([
      ['02', '0x02'],
      ['03', '0x03'],
      ['80', '0x80'],
    ])(
      'by the flag %s: is refused by it, and taken by its fields, which the root proves',
      async (flag, name) => {
        told = flagged(flag);
        await expect(read()).rejects.toMatchObject({
          code: 'unknown_content',
          retryable: true,
          unknowns: [{ kind: `transaction-encoding:${name}`, transactionHash: honest[at]!.txid }],
        });
        const { unknowns, ...block } = await read(take);
        expect(unknowns).toMatchObject([{ kind: `transaction-encoding:${name}` }]);
        expect(block).toEqual(known);
      },
    );

    it('is the node’s word alone where the id does not come from the fields, and only it', async () => {
      const [first, ...others] = honest[at]!.vout;
      told = change(at, { vout: [{ ...first!, value: first!.value + 1 }, ...others] });
      const block = await read(take);
      expect(marksOf(block)).toEqual([at]);
      expect(block.transactions.toSpliced(at, 1)).toEqual(known.transactions.toSpliced(at, 1));
    });

    it.each<[string, () => Told]>([
      ['one left out', () => ({ ...flagged('02'), tx: flagged('02').tx.toSpliced(1, 1) })],
      [
        'two exchanged',
        () => ({
          ...flagged('02'),
          tx: [honest[0]!, flagged('02').tx[2]!, flagged('02').tx[1]!, ...flagged('02').tx.slice(3)],
        }),
      ],
      ['the last one twice', () => ({ ...flagged('02'), tx: [...flagged('02').tx, honest.at(-1)!] })],
      ['the id of another', () => change(at, { txid: '11'.repeat(32) })],
      ['another one’s bytes', () => change(at === 1 ? 2 : 1, { hex: honest[0]!.hex })],
      ['none that is unknown among its fields', () => ({ ...flagged('02'), tx: honest })],
    ])('is no pretext: %s is refused', async (_, lie) => {
      told = lie();
      await expect(read(take)).rejects.toMatchObject({ code: 'incomplete_block' });
    });

    it('is no pretext to hide a block: inner nodes of its tree are refused, at every level', async () => {
      let level: Buffer[] = honest.map(({ txid }) => Buffer.from(txid, 'hex').reverse());
      while (level.length > 1) {
        level = level.flatMap((left, index) =>
          index % 2 === 0 ? [hash256(Buffer.concat([left, level[index + 1] ?? left]))] : [],
        );
        const invented = level.map((id, index): Fields => {
          const real = honest[index]!;
          const hex = `${real.hex.slice(0, 8)}0002aabbccdd${real.hex.slice(12)}`;
          return { ...real, txid: toHashText(id), hex };
        });
        told = { ...flagged('02'), tx: invented };
        await expect(read(take)).rejects.toMatchObject({ code: 'incomplete_block' });
      }
    });

    it('whose block was taken, is told with what it spends', async () => {
      told = flagged('02');
      const spent = await client.coins.readSpentOutputs(ref);
      expect(spent?.size).toBe(known.transactions.flatMap(({ utxo }) => utxo!.inputs).length);
    });

    it('that waits in the mempool does not keep the others from being told', async () => {
      told = flagged('02');
      const [one, other] = await client.mempool.readTransactions([honest[at]!.txid, honest[0]!.txid]);
      expect([one, other?.hash]).toEqual([undefined, honest[0]!.txid]);
    });
  });

  it('(b), (c) with members of its fields and of its header that are not known: nothing rests on them', async () => {
    told = {
      ...flagged('02'),
      tx: flagged('02').tx.map((one) => ({
        ...one,
        future: 1,
        vin: one.vin.map((input) => ({ ...input, future: 1 })),
      })),
    };
    const { unknowns: _, ...block } = await read(take);
    expect(block).toEqual(known);
  });
});

describe('unknown: a block with', () => {
  const traits = readTraits(networkNamed('bitcoin-regtest'));

  it.each<[string, (transaction: Transaction) => void]>([
    ['a version of transactions', (transaction) => (transaction.version = 0x7fffffff)],
    [
      'a version of witnesses',
      (transaction) => (transaction.outs[0]!.script = Buffer.from(`6028${'5a'.repeat(40)}`, 'hex')),
    ],
    [
      'a script that is no program',
      (transaction) => (transaction.outs[0]!.script = Buffer.from('feff4e', 'hex')),
    ],
    ['an empty script', (transaction) => (transaction.outs[0]!.script = Buffer.alloc(0))],
    [
      'an annex in a witness',
      (transaction) => transaction.setWitness(0, [Buffer.alloc(64, 1), Buffer.from('50ff', 'hex')]),
    ],
  ])('%s that is not known is proved as ever', (_, edit) => {
    const transaction = buildSpecTransaction();
    edit(transaction);
    const block = buildSpecBlock({ transactions: [transaction, buildSpecTransaction()] });
    const decoded = decodeBlock({ number: 500, hash: block.getId() }, Buffer.from(block.toBuffer()), traits);
    expect(decoded.unknowns).toBeUndefined();
    expect(decoded.transactions[1]).toMatchObject({
      hash: transaction.getId(),
      utxo: { outputs: [{ matchKey: Buffer.from(transaction.outs[0]!.script).toString('hex') }, {}] },
    });
  });
});
