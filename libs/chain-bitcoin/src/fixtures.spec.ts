// SPDX-License-Identifier: Apache-2.0
import { address, Block as LibraryBlock, networks, type Network as LibraryNetwork } from 'bitcoinjs-lib';
import { ByteReader } from './byte-reader.ts';
import { decodeBlock } from './read-block.ts';
import { readTraits } from './networks.ts';
import { HEADER_LENGTH } from './parse-header.ts';
import { readTransaction } from './read-transaction.ts';
import { findAddress } from './script-address.ts';
import { blockNames, describeFixtures, readBlockFixture, type RecordedBlock } from './spec-fixtures.ts';

const decode = ({ ref, bytes, network }: RecordedBlock): ReturnType<typeof decodeBlock> =>
  decodeBlock(ref, bytes, readTraits(network));

describeFixtures('recorded blocks', () => {
  it('are there', () => {
    expect(blockNames.length).toBeGreaterThanOrEqual(7);
  });

  it.each(blockNames)(
    '%s: is proved, and every transaction, output and outpoint is what an independent parser found',
    (name) => {
      const fixture = readBlockFixture(name);
      const { expected, network } = fixture;
      const block = decode(fixture);
      expect(block).toMatchObject({
        ...fixture.ref,
        parentHash: expected.summary.prev,
        timestamp: expected.summary.time,
        balanceChanges: [],
        touchedAssets: [],
      });
      expect(block.transactions.map(({ hash }) => hash)).toEqual(expected.txids);
      expect(
        block.transactions.map(({ index, isFailed, transfers }) => [index, isFailed, transfers]),
      ).toEqual(expected.txids.map((_, index) => [index, false, []]));
      expect(
        block.transactions.flatMap(({ hash, utxo }) =>
          utxo!.outputs.map(({ matchKey, amountRaw }, vout) => [
            hash,
            vout,
            typeOf(matchKey),
            findAddress(network, matchKey) ?? null,
            Number(amountRaw),
          ]),
        ),
      ).toEqual(expected.outputs);
      expect(
        block.transactions.flatMap(({ hash, utxo }) =>
          utxo!.inputs.map((input) => [hash, input.txid, input.vout]),
        ),
      ).toEqual(expected.inputs);
      expect(block.transactions.map(({ utxo }) => utxo!.isCoinbase)).toEqual(
        expected.txids.map((_, index) => index === 0),
      );
    },
  );

  it.each(blockNames)(
    '%s: the reader of our own agrees with bitcoinjs-lib on every field it gives',
    (name) => {
      const fixture = readBlockFixture(name);
      const library = LibraryBlock.fromBuffer(fixture.bytes);
      const reader = new ByteReader(fixture.bytes, HEADER_LENGTH);
      expect(reader.readCompactSize()).toBe(library.transactions!.length);
      for (const transaction of library.transactions!) {
        const ours = readTransaction(reader);
        expect(ours.txidBytes.toString('hex')).toBe(hex(transaction.getHash()));
        if (!transaction.isCoinbase())
          expect(ours.wtxidBytes.toString('hex')).toBe(hex(transaction.getHash(true)));
        expect(ours.hasWitness).toBe(transaction.hasWitnesses());
        expect(ours.isCoinbase).toBe(transaction.isCoinbase());
        expect(ours.inputs).toEqual(
          transaction.isCoinbase()
            ? []
            : transaction.ins.map(({ hash, index }) => ({ txid: hex(hash.toReversed()), vout: index })),
        );
        expect(ours.outputs).toEqual(
          transaction.outs.map(({ script, value }) => ({ matchKey: hex(script), amountRaw: value })),
        );
        expect(ours.firstWitness.map(hex)).toEqual(
          transaction.hasWitnesses() ? transaction.ins[0]!.witness.map(hex) : [],
        );
      }
      expect(reader.left).toBe(0);
    },
  );

  it.each([
    ['mainnet-482683', 1, []],
    ['signet-31500', 1, []],
    [
      'mainnet-702861',
      23,
      [
        'OUT:BD292BDD60707F967D0088417495E5BDC38B9FABAB5CE1809296BC39E325DA23',
        'OUT:B7CECDE56CE45114C3C3A46705AAA6313AF9179654BA7A02D80104E91FDE88FE',
      ],
    ],
    [
      'testnet3-924634',
      4,
      ['QmdR3e4RaDVS2MCjsnSaqsJWS2DeeTFbB85EAyJMXCxLy4', 'QmWHMWPNRHQXrPLs8ULXkMH7FtSVA6u6kZkJN8QynNX7Q4'],
    ],
  ])('%s: of its %d outputs that carry data, those that are text are memos', (name, count, memos) => {
    const { transactions } = decode(readBlockFixture(name));
    const scripts = transactions.flatMap(({ utxo }) => utxo!.outputs.map(({ matchKey }) => matchKey));
    expect(scripts.filter((script) => script.startsWith('6a'))).toHaveLength(count);
    expect(transactions.flatMap(({ memo }) => memo ?? [])).toEqual(memos);
  });

  it.each(blockNames)('%s: addresses are those of bitcoinjs-lib', (name) => {
    const fixture = readBlockFixture(name);
    const scripts = new Set(
      decode(fixture).transactions.flatMap(({ utxo }) => utxo!.outputs.map(({ matchKey }) => matchKey)),
    );
    for (const script of scripts)
      expect(findAddress(fixture.network, script)).toBe(
        libraryAddress(script, fixture.network.isTestnet ? networks.testnet : networks.bitcoin),
      );
  });
});

const hex = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex');

function libraryAddress(script: string, network: LibraryNetwork): string | undefined {
  try {
    return address.fromOutputScript(Buffer.from(script, 'hex'), network);
  } catch {
    return undefined;
  }
}

/** Bitcoin Core's names. */
function typeOf(script: string): string {
  if (/^76a914[0-9a-f]{40}88ac$/.test(script)) return 'pubkeyhash';
  if (/^a914[0-9a-f]{40}87$/.test(script)) return 'scripthash';
  if (/^0014[0-9a-f]{40}$/.test(script)) return 'witness_v0_keyhash';
  if (/^0020[0-9a-f]{64}$/.test(script)) return 'witness_v0_scripthash';
  if (/^5120[0-9a-f]{64}$/.test(script)) return 'witness_v1_taproot';
  if (/^(21[0-9a-f]{66}|41[0-9a-f]{130})ac$/.test(script)) return 'pubkey';
  if (/^6a/.test(script)) return 'nulldata';
  return 'nonstandard';
}
