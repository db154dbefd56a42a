// SPDX-License-Identifier: Apache-2.0
import { base58 } from '@scure/base';
import {
  MessageV1,
  SystemProgram,
  TransactionInstruction,
  VersionedMessage,
  VersionedTransaction,
} from '@solana/web3.js';
import { signatureOf } from '../execute-transaction.ts';
import type { Ledger } from '../ledger.ts';
import { invalidParams, RpcError } from '../rpc-error.ts';
import { signTransaction } from '../sign-transaction.ts';
import { MEMO_PROGRAM } from '../token-instructions.ts';
import { describeError } from '../transaction-error.ts';
import { configOf, keyOf, numberOf, withContext, type Method } from './method.ts';

const LAMPORTS_PER_SIGNATURE = 5_000;
let airdrops = 0;

const sendTransaction: Method = ({ ledger }, params) => {
  const config = configOf(params, 1);
  const bytes = parseTransaction(params[0], config['encoding']);
  const { message, signatures } = VersionedTransaction.deserialize(bytes);
  const signature = base58.encode(signatures[0]!);
  if (config['skipPreflight'] !== true) {
    if (!ledger.isValidBlockhash(message.recentBlockhash)) throw preflightError('BlockhashNotFound', []);
    const { error, logs } = simulate(ledger, bytes);
    if (error !== undefined) throw preflightError(error, logs);
  }
  if (ledger.isValidBlockhash(message.recentBlockhash)) ledger.enqueue(bytes);
  return signature;
};

function parseTransaction(text: unknown, encoding: unknown = 'base58'): Uint8Array {
  if (typeof text !== 'string') throw invalidParams('expected an encoded transaction');
  const bytes = encoding === 'base64' ? new Uint8Array(Buffer.from(text, 'base64')) : base58.decode(text);
  try {
    VersionedTransaction.deserialize(bytes);
  } catch {
    throw invalidParams('failed to deserialize the transaction');
  }
  return bytes;
}

function simulate(
  { vm }: Ledger,
  bytes: Uint8Array,
): { readonly error: unknown; readonly logs: readonly string[]; readonly units: number } {
  const result = vm.simulateVersionedTransaction(bytes);
  const meta = result.meta();
  return {
    error: 'err' in result ? describeError(result) : undefined,
    logs: meta.logs(),
    units: Number(meta.computeUnitsConsumed()),
  };
}

function preflightError(err: unknown, logs: readonly string[]): RpcError {
  const text = typeof err === 'string' ? err : JSON.stringify(err);
  return new RpcError(
    -32002,
    `Transaction simulation failed: ${text === 'BlockhashNotFound' ? 'Blockhash not found' : text}`,
    { accounts: null, err, logs, unitsConsumed: 0 },
  );
}

const simulateTransaction: Method = (context, params) => {
  const config = configOf(params, 1);
  const { error, logs, units } = simulate(context.ledger, parseTransaction(params[0], config['encoding']));
  return withContext(context, config, {
    err: error ?? null,
    logs,
    accounts: null,
    unitsConsumed: units,
    returnData: null,
  });
};

/** A transfer of the faucet like any other; the memo keeps two equal ones apart. `version`, of this node alone: legacy. */
const requestAirdrop: Method = ({ ledger }, params) => {
  const instructions = [
    SystemProgram.transfer({
      fromPubkey: ledger.faucet.publicKey,
      toPubkey: keyOf(params[0]),
      lamports: numberOf(params[1], 'lamports'),
    }),
    new TransactionInstruction({
      programId: MEMO_PROGRAM,
      keys: [],
      data: Buffer.from(`airdrop ${(airdrops += 1)}`),
    }),
  ];
  const { version = 'legacy' } = configOf(params, 2);
  if (version !== 'legacy' && version !== 0 && version !== 1)
    throw invalidParams(`expected version "legacy", 0 or 1, got ${JSON.stringify(version)}`);
  const bytes = signTransaction({
    instructions,
    payer: ledger.faucet,
    recentBlockhash: ledger.head.blockhash,
    version,
  });
  ledger.enqueue(bytes);
  return signatureOf({ bytes });
};

const getSignatureStatuses: Method = (context, params) => {
  const { ledger } = context;
  const statuses = (params[0] as readonly string[]).map((signature) => {
    const found = ledger.findTransaction(signature);
    if (found === undefined) return null;
    const { slot } = found.block;
    const isFinal = slot <= ledger.finalized.slot;
    const err = found.executed.error ?? null;
    const confirmations = ledger.blocks.filter((block) => block.slot > slot).length;
    return {
      slot,
      confirmations: isFinal ? null : confirmations,
      err,
      status: err === null ? { Ok: null } : { Err: err },
      confirmationStatus: isFinal ? 'finalized' : 'confirmed',
    };
  });
  return withContext(context, {}, statuses);
};

const getSignaturesForAddress: Method = ({ ledger }, params) => {
  const key = keyOf(params[0]).toBase58();
  const {
    limit = 1_000,
    before,
    until,
  } = configOf(params, 1) as { limit?: number; before?: string; until?: string };
  const all = ledger.blocks
    .flatMap((block) =>
      block.transactions.map((executed) => ({ block, executed, signature: signatureOf(executed) })),
    )
    .toReversed();
  // As on a real node, `before` and `until` may be transactions of other accounts.
  const from = before === undefined ? 0 : all.findIndex(({ signature }) => signature === before) + 1;
  const to = until === undefined ? -1 : all.findIndex(({ signature }) => signature === until);
  if (before !== undefined && from === 0) return [];
  return all
    .slice(from, to < 0 ? undefined : to)
    .filter(({ executed }) => executed.keys.includes(key))
    .slice(0, limit)
    .map(({ block, executed, signature }) => ({
      signature,
      slot: block.slot,
      err: executed.error ?? null,
      memo: null,
      blockTime: block.blockTime,
      confirmationStatus: block.slot <= ledger.finalized.slot ? 'finalized' : 'confirmed',
    }));
};

const getFeeForMessage: Method = (context, params) => {
  const message = VersionedMessage.deserialize(Buffer.from(String(params[0]), 'base64'));
  const isValid = context.ledger.isValidBlockhash(message.recentBlockhash);
  const priorityFee = message instanceof MessageV1 ? (message.transactionConfig.priorityFee ?? 0) : 0;
  return withContext(
    context,
    configOf(params, 1),
    isValid ? message.header.numRequiredSignatures * LAMPORTS_PER_SIGNATURE + priorityFee : null,
  );
};

export const transactionMethods: Readonly<Record<string, Method>> = {
  sendTransaction,
  simulateTransaction,
  requestAirdrop,
  getSignatureStatuses,
  getSignaturesForAddress,
  getFeeForMessage,
  isBlockhashValid: (context, params) =>
    withContext(context, configOf(params, 1), context.ledger.isValidBlockhash(String(params[0]))),
  getRecentPrioritizationFees: ({ ledger }) => [{ slot: ledger.head.slot, prioritizationFee: 0 }],
};
