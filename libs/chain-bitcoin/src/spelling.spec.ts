// SPDX-License-Identifier: Apache-2.0
import { Block as LibraryBlock } from 'bitcoinjs-lib';
import { fuzzSpellings, type Json } from '@chainwatch/testing';
import { readTraits } from './networks.ts';
import { readBlock } from './read-block.ts';
import { readHeaders } from './read-headers.ts';
import { readTransactions } from './read-mempool.ts';
import { readSpentOutputs } from './read-spent-outputs.ts';
import type { RpcClient } from './rpc-client.ts';
import type { Session } from './session.ts';
import { describeFixtures, readBlockFixture } from './spec-fixtures.ts';
import { flagAsUnknown, toFields } from './spec-fields.ts';

const TRIES = 1_500;
const SEED = 15;

describeFixtures(`${TRIES} spellings of members in hexadecimal digits are refused or read the same:`, () => {
  const { ref, bytes, network } = readBlockFixture('signet-31500');
  const fields = LibraryBlock.fromBuffer(bytes).transactions!.map(toFields);
  const at = fields.findIndex(({ hex }, index) => index > 0 && hex.slice(8, 12) === '0001');
  const open = (answer: (method: string, params: readonly unknown[]) => Json): Session => {
    const call = (method: string, params: readonly unknown[]): Promise<Json> =>
      Promise.resolve(answer(method, params));
    const callMany = (calls: readonly { method: string; params: readonly unknown[] }[]) =>
      Promise.resolve(
        calls.map(({ method, params }) => ({ type: 'result', result: answer(method, params) })),
      );
    const capabilities = {
      rawForm: 0,
      hasWaitForNewBlock: true,
      hasScan: true,
      hasPrevouts: true,
      hasMempoolInfo: true,
    } as const;
    return {
      network,
      traits: readTraits(network),
      rpc: { call, callMany } as unknown as RpcClient,
      capabilities: { ...capabilities },
    };
  };
  const fuzz = async (
    told: Json,
    read: (told: Json) => Promise<unknown>,
    isOther?: (member: string, spelling: string) => boolean,
  ): Promise<void> => {
    expect(await fuzzSpellings({ told, read, tries: TRIES, seed: SEED, isOther })).toBeGreaterThan(TRIES / 4);
  };

  it('a block, its header and a transaction by their bytes', async () => {
    await fuzz(
      {
        block: bytes.toString('hex'),
        header: bytes.subarray(0, 80).toString('hex'),
        hash: ref.hash,
        transaction: fields[at]!.hex,
      },
      async (told) => {
        const { block, header, hash, transaction } = told as Record<string, Json>;
        const session = open(
          (method) =>
            ({
              getblock: block!,
              getblockheader: header!,
              getblockhash: hash!,
              getrawtransaction: transaction!,
            })[method]!,
        );
        return [
          await readBlock(session, { ref }),
          await readHeaders(session, { from: ref.number, to: ref.number }),
          await readTransactions(session, [fields[at]!.txid]),
        ];
      },
    );
  });

  it('a block by its fields: what is not the same is no more than the word of the node', async () => {
    const flagged = flagAsUnknown(bytes, { tx: fields, at, flag: '02' });
    const known = (
      await readBlock(
        open(() => bytes.toString('hex')),
        { ref },
      )
    ).transactions;
    let other = 0;
    await fuzz({ tx: flagged.tx } as unknown as Json, async (told) => {
      const session = open((_method, [, verbosity]) =>
        verbosity === 0 ? flagged.bytes.toString('hex') : told,
      );
      const { transactions } = await readBlock(session, {
        ref,
        signal: undefined,
        options: { takeUnknown: true },
      });
      const [unproved] = transactions.filter(({ verification }) => verification === 'unproved');
      if (unproved === undefined) return transactions;
      other += 1;
      expect(unproved.index).toBe(at);
      return transactions.with(at, known[at]!);
    });
    expect(other).toBeGreaterThan(0);
  });

  it('what a block spends', async () => {
    const told = {
      tx: fields.map(({ vin }) => ({
        vin: vin.map((input) => ({
          ...input,
          prevout: { value: 1, scriptPubKey: { hex: `0014${'0a'.repeat(20)}` } },
        })),
      })),
    } as unknown as Json;
    const honest = await readSpentOutputs(
      open((_method, [, verbosity]) => (verbosity === 0 ? bytes.toString('hex') : told)),
      ref,
    );
    expect(honest!.size).toBeGreaterThan(0);
    await fuzz(
      told,
      async (shown) => {
        const session = open((method, [, verbosity]) =>
          method === 'getrawtransaction' ? 'no index' : verbosity === 0 ? bytes.toString('hex') : shown,
        );
        return readSpentOutputs(session, ref);
      },
      // Any script is a script, the empty one, too.
      (member, spelling) => member === 'hex' && spelling === 'empty',
    );
  });
});
