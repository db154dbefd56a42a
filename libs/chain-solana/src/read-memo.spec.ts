// SPDX-License-Identifier: Apache-2.0
import { base58 } from '@scure/base';
import { Keypair, PublicKey, SystemProgram, TransactionMessage, VersionedTransaction } from '@solana/web3.js';
import { parseTransaction } from './parse-transaction.ts';
import { MEMO_PROGRAMS } from './programs.ts';
import type { RawMeta, RawTransaction } from './raw-block.ts';
import { readMemo } from './decode-block.ts';

const [V2, V1] = [...MEMO_PROGRAMS].map((key) => new PublicKey(key)) as [PublicKey, PublicKey];
const payer = Keypair.generate();
const memoOf = (programId: PublicKey, data: string | Buffer) => ({
  programId,
  keys: [],
  data: Buffer.from(data as string),
});
const move = SystemProgram.transfer({ fromPubkey: payer.publicKey, toPubkey: V1, lamports: 1 });

function transactionOf(
  instructions: readonly object[],
  meta: Partial<RawMeta> = {},
  isLegacy = false,
): RawTransaction {
  const message = new TransactionMessage({
    payerKey: payer.publicKey,
    recentBlockhash: base58.encode(new Uint8Array(32)),
    instructions: instructions as never,
  });
  const transaction = new VersionedTransaction(
    isLegacy ? message.compileToLegacyMessage() : message.compileToV0Message(),
  );
  transaction.sign([payer]);
  return {
    transaction: [Buffer.from(transaction.serialize()).toString('base64'), 'base64'],
    meta: { err: null, fee: 5_000, preBalances: [], postBalances: [], ...meta },
    version: isLegacy ? 'legacy' : 0,
  };
}

const read = (...of: Parameters<typeof transactionOf>): string | undefined =>
  readMemo(parseTransaction(transactionOf(...of)));

it.each([true, false])('reads both programs, in order, in a legacy transaction: %s', (isLegacy) => {
  expect(read([memoOf(V1, 'one'), move, memoOf(V2, 'two 💸')], {}, isLegacy)).toBe('one\ntwo 💸');
});

it('reads what another program wrote', () => {
  const other = Keypair.generate().publicKey;
  const call = {
    programId: other,
    keys: [{ pubkey: V2, isSigner: false, isWritable: false }],
    data: Buffer.of(1),
  };
  const inner = { programIdIndex: 2, accounts: [], data: base58.encode(Buffer.from('inner')) };
  const { transaction } = transactionOf([call]);
  const keys = VersionedTransaction.deserialize(
    Buffer.from((transaction as unknown as readonly [string])[0], 'base64'),
  ).message.staticAccountKeys;
  const programIdIndex = keys.findIndex((key) => key.equals(V2));
  expect(read([call], { innerInstructions: [{ instructions: [{ ...inner, programIdIndex }] }] })).toBe(
    'inner',
  );
});

it('reads a program that was looked up', () => {
  const inner = { programIdIndex: 3, accounts: [], data: base58.encode(Buffer.from('looked up')) };
  const meta = {
    innerInstructions: [{ instructions: [inner] }],
    loadedAddresses: { writable: [], readonly: [V1.toBase58()] },
  };
  const other = {
    ...move,
    keys: [move.keys[0]!, { ...move.keys[1]!, pubkey: Keypair.generate().publicKey }],
  };
  expect(read([other], meta)).toBe('looked up');
});

it('finds none where there is no text', () => {
  expect(read([move])).toBeUndefined();
  expect(read([memoOf(V2, '')])).toBeUndefined();
  expect(read([memoOf(V2, Buffer.of(0xff, 0xfe))])).toBeUndefined();
  expect(read([memoOf(Keypair.generate().publicKey, 'not a memo')])).toBeUndefined();
});
