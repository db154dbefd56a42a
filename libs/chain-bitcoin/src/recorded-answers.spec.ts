// SPDX-License-Identifier: Apache-2.0
import { Block as LibraryBlock, Transaction } from 'bitcoinjs-lib';
import { BitcoinClient } from './bitcoin-client.ts';
import { decodeBlock } from './read-block.ts';
import { computeMerkleRoot } from './merkle-root.ts';
import { readTraits } from './networks.ts';
import { parseAmount } from './parse-amount.ts';
import { NodeError, startFakeNode } from './spec-fake-node.ts';
import { describeFixtures, listFixtures, networkNamed, readJson, readJsonLines } from './spec-fixtures.ts';

const network = networkNamed('bitcoin');

/** `getblock` with verbosity 2, as far as it makes a raw block. */
interface TalkativeBlock {
  readonly hash: string;
  readonly height: number;
  readonly version: number;
  readonly previousblockhash?: string;
  readonly merkleroot: string;
  readonly time: number;
  readonly bits: string;
  readonly nonce: number;
  readonly tx: readonly TalkativeTransaction[];
}

interface TalkativeTransaction {
  readonly txid: string;
  readonly version: number;
  readonly locktime: number;
  readonly hex?: string;
  readonly vin: readonly {
    coinbase?: string;
    txid?: string;
    vout?: number;
    scriptSig?: { hex: string };
    sequence: number;
  }[];
  readonly vout: readonly { value: number; n: number; scriptPubKey: { hex: string } }[];
}

/** As bitcoin-etl exports it. */
interface ExportedTransaction {
  readonly hash: string;
  readonly index: number;
  readonly block_hash: string;
  readonly is_coinbase: boolean;
  readonly inputs: readonly { spent_transaction_hash: string; spent_output_index: number }[];
  readonly outputs: readonly { index: number; script_hex: string; value: number }[];
}

const unwrap = <T>(answer: T | { result: T }): T =>
  typeof answer === 'object' && answer !== null && 'result' in answer ? answer.result : answer;
const reversed = (hex: string): Uint8Array => Uint8Array.from(Buffer.from(hex, 'hex').reverse());

function toRaw(block: TalkativeBlock): Buffer {
  const raw = new LibraryBlock();
  raw.version = block.version;
  raw.prevHash = reversed(block.previousblockhash ?? '00'.repeat(32));
  raw.merkleRoot = reversed(block.merkleroot);
  raw.timestamp = block.time;
  raw.bits = parseInt(block.bits, 16);
  raw.nonce = block.nonce;
  raw.transactions = block.tx.map(toTransaction);
  return Buffer.from(raw.toBuffer());
}

function toTransaction(told: TalkativeTransaction): Transaction {
  if (told.hex !== undefined) return Transaction.fromHex(told.hex);
  const transaction = new Transaction();
  transaction.version = told.version;
  transaction.locktime = told.locktime;
  for (const { coinbase, txid, vout, scriptSig, sequence } of told.vin) {
    transaction.addInput(
      reversed(txid ?? '00'.repeat(32)),
      vout ?? 0xffffffff,
      sequence,
      Buffer.from(coinbase ?? scriptSig?.hex ?? '', 'hex'),
    );
  }
  for (const { value, scriptPubKey } of told.vout)
    transaction.addOutput(
      Buffer.from(scriptPubKey.hex, 'hex'),
      parseAmount({ what: 'fixture', coins: value }),
    );
  return transaction;
}

const decode = (block: TalkativeBlock): ReturnType<typeof decodeBlock> =>
  decodeBlock({ number: block.height, hash: block.hash }, toRaw(block), readTraits(network));

describeFixtures('blocks recorded with bitcoin-etl', () => {
  const folders = [
    'block_0',
    'block_1',
    'block_with_transactions',
    'block_without_transactions',
    'stream_50001_50002',
  ];

  it.each(folders)('%s: its transactions are those exported', (folder) => {
    const path = `bitcoin-etl/${folder}/`;
    const exported = readJsonLines<ExportedTransaction>(`${path}expected_transactions.json`);
    const blocks = listFixtures(path)
      .filter((file) => file.endsWith('_2.json'))
      .map((file) => unwrap(readJson<TalkativeBlock>(file)));
    expect(blocks.length).toBeGreaterThan(0);
    for (const told of blocks) {
      const expected = exported
        .filter(({ block_hash: hash }) => hash === told.hash)
        .toSorted((a, b) => a.index - b.index);
      expect(
        decode(told).transactions.map(({ hash, index, utxo }) => ({
          hash,
          index,
          is_coinbase: utxo!.isCoinbase,
          inputs: utxo!.inputs.map(({ txid, vout }) => ({
            spent_transaction_hash: txid,
            spent_output_index: vout,
          })),
          outputs: utxo!.outputs.map(({ matchKey, amountRaw }, vout) => ({
            index: vout,
            script_hex: matchKey,
            value: Number(amountRaw),
          })),
        })),
      ).toEqual(
        expected.map(({ hash, index, is_coinbase, inputs, outputs }) => ({
          hash,
          index,
          is_coinbase,
          inputs: inputs.map(({ spent_transaction_hash, spent_output_index }) => ({
            spent_transaction_hash,
            spent_output_index,
          })),
          outputs: outputs.map(({ index: vout, script_hex, value }) => ({ index: vout, script_hex, value })),
        })),
      );
    }
  });

  it('holds a block without its transactions, which is refused', () => {
    const [file] = listFixtures('bitcoin-etl/stream_50001_50002/').filter((name) =>
      name.endsWith('_None.json'),
    );
    const told = unwrap(readJson<TalkativeBlock>(file!));
    expect(told.tx).toEqual([]);
    expect(() => decode(told)).toThrow('expected hash');
    expect(() =>
      decode({ ...told, hash: '000000001c920d495e1eeef2452b6d1c6c229a919b28196c103ecffebabee141' }),
    ).toThrow(/coinbase/);
  });
});

describeFixtures('other recorded answers', () => {
  it('hold the coinbase whose txid an older block has too (BIP-30): decoded like any other', () => {
    const told = readJson<TalkativeBlock>('mainnet-91880-duplicate-coinbase.getblock-v2.json');
    const block = decode(told);
    expect(block.transactions.map(({ hash, utxo }) => [hash, utxo!.isCoinbase])).toEqual([
      ['e3bf3d07d4b0375638d5f1db5255fe07ba2c4cb067cd81b84ee974b6585fb468', true],
      [told.tx[1]!.txid, false],
    ]);
    expect(block.transactions[0]?.utxo?.outputs).toEqual([
      { matchKey: told.tx[0]!.vout[0]!.scriptPubKey.hex, amountRaw: 5_000_000_000n },
    ]);
  });

  it('hold 1,487 txids whose merkle root is the header’s', () => {
    const { merkleroot, tx } = readJson<{ merkleroot: string; tx: string[] }>(
      'mainnet-626472.getblock-v1.json',
    );
    const leaves = tx.map((txid) => Buffer.from(reversed(txid)));
    const { root, isMutated } = computeMerkleRoot(leaves);
    expect(root.toString('hex')).toBe(Buffer.from(reversed(merkleroot)).toString('hex'));
    expect(isMutated).toBe(false);
    expect(computeMerkleRoot(leaves.slice(1)).root.equals(root)).toBe(false);
    expect(computeMerkleRoot([...leaves, leaves.at(-1)!])).toMatchObject({ root, isMutated: true });
  });

  it('hold blocks that were cut down to two transactions, which are refused', () => {
    for (const file of ['get_block.json', 'get_block_oldschemaaddresses.json']) {
      expect(() => decode(unwrap(readJson<TalkativeBlock>(`chainstorage/${file}`)))).toThrow(/merkle root/);
    }
  });

  const malformed = listFixtures('chainstorage/errcases/');

  it.each(malformed)('%s in place of bytes is refused', async (file) => {
    const answer = unwrap(readJson<unknown>(file));
    const hash = '000000000000000000088a771bf9592a8bd3e9a5dc4c5a18876b65b283f0fb1e';
    const txid = 'a0c993a7bada3762a0e9ea6e10dacbe487ced996edc8fb71bf5e893248524016';
    const node = await startFakeNode({
      methods: {
        getblock: () => answer,
        getrawtransaction: () => answer,
        getblockheader: () => answer,
        getrawmempool: () => answer,
      },
    });
    const client = new BitcoinClient({ network, endpointUrl: node.url });
    const refused = { retryable: true, code: expect.stringMatching(/^(node_error|incomplete_block)$/) };
    await expect(client.readBlock({ number: 696402, hash })).rejects.toMatchObject(refused);
    await expect(client.mempool!.readTransactions([txid])).rejects.toMatchObject(refused);
    await expect(client.findHeaderByHash(hash)).rejects.toMatchObject(refused);
    await expect(client.mempool!.readSnapshot()).rejects.toMatchObject(refused);
    client.close();
    await node.stop();
  });
});

describeFixtures('errors that nodes were seen to answer', () => {
  interface SeenError {
    readonly name: string;
    readonly chain_family?: string;
    readonly transport?: string;
    readonly error_code: number;
    readonly error_message: string;
  }
  const isBitcoin = (entry: unknown): entry is SeenError =>
    typeof entry === 'object' &&
    entry !== null &&
    'chain_family' in entry &&
    entry.chain_family === 'Bitcoin';
  const flatten = (value: unknown): unknown[] =>
    Array.isArray(value)
      ? value.flatMap(flatten)
      : typeof value === 'object' && value !== null
        ? [value, ...Object.values(value).flatMap(flatten)]
        : [];
  const seen = listFixtures('../errors/').includes('../errors/node-error-catalogue-lava.json')
    ? flatten(readJson('../errors/node-error-catalogue-lava.json')).filter(isBitcoin)
    : [];

  it('are there', () => {
    expect(seen.length).toBeGreaterThanOrEqual(9);
  });

  it.each(seen.map(({ name, error_code, error_message }) => [name, error_code, error_message] as const))(
    '%s: %i "%s"',
    async (name, code, message) => {
      const refuse = (): never => {
        throw new NodeError(code, message);
      };
      const node = await startFakeNode({
        methods: { getbestblockhash: refuse, getblockhash: refuse, getblock: refuse, getrawmempool: refuse },
      });
      const client = new BitcoinClient({ network, endpointUrl: node.url });
      await expect(client.readHead()).rejects.toMatchObject({
        code: 'node_error',
        retryable: true,
        nodeCode: code,
        publicMessage: 'the node answered getbestblockhash with an error',
      });
      const isMissing = name === 'bitcoin_block_height_out_of_range';
      if (isMissing) expect(await client.findHeaderByNumber(1_000_000)).toBeUndefined();
      else
        await expect(client.findHeaderByNumber(1)).rejects.toMatchObject({
          code: 'node_error',
          nodeCode: code,
        });
      await expect(client.readBlock({ number: 1, hash: 'ab'.repeat(32) })).rejects.toMatchObject({
        code: isMissing ? 'block_not_found' : 'node_error',
      });
      client.close();
      await node.stop();
    },
  );
});
