// SPDX-License-Identifier: Apache-2.0
import { nativeOf, type Transaction } from '@chainwatch/chain-core';
import { type Hex, bytesToHex, fromRlp } from 'viem';
import { decodeFee } from './decode-fee.ts';
import { decodeTransfers, type TransactionParts } from './decode-transaction.ts';

/** A call that a transaction makes, with its value in wei. */
interface Call {
  readonly to: string;
  readonly amountRaw: bigint;
}

/** What matters here of a transaction of type 0x79. */
interface BaseTransaction {
  /** Undefined: recovered from its signature, so that only the node names it. */
  readonly sender: string | undefined;
  /** Who pays the fee. `open`: whoever signed for it, so that only the node names it. */
  readonly payer: string | 'sender' | 'open';
  /** Each phase is done as a whole, or undone. */
  readonly phases: readonly (readonly Call[])[];
}

export const BASE_TRANSACTION = 0x79;

const FIELDS = 15;
const [SENDER, CALLS, PAYER] = [1, 10, 12];
const ADDRESS_DIGITS = 42;

/**
 * Base's own transaction (EIP-8430, with Everest), from its raw encoding, which the root proves: its JSON tells neither its
 * receivers nor its amounts. Everest has no date, and no such block was recorded.
 * @throws RangeError for another form, as later drafts may have: the transaction is then unproved, and its chain goes on
 */
function parse(encoding: Uint8Array): BaseTransaction {
  const fields = listOf(encoding);
  if (!Array.isArray(fields) || fields.length !== FIELDS) return fail(`a list of ${FIELDS} fields`);
  const phases: unknown = fields[CALLS];
  if (!Array.isArray(phases)) return fail('a list of phases');
  return {
    sender: addressOf(fields[SENDER]),
    payer: fields[PAYER] === '0x00' ? 'open' : (addressOf(fields[PAYER]) ?? 'sender'),
    phases: phases.map((phase: unknown) =>
      Array.isArray(phase) ? phase.map(callOf) : fail('a list of calls'),
    ),
  };
}

/**
 * Whoever pays is not always who sends, and one transaction pays several. A phase alone has succeeded if the transaction did.
 * Of several, only the node says which ones succeeded: what they moved is its word.
 */
export function decodeBaseTransaction(parts: TransactionParts, encoding: Uint8Array): Transaction {
  const { network, tx, receipt, index, trace } = parts;
  const { sender, payer, phases } = parse(encoding);
  const from = sender ?? addressOf(tx.from);
  if (from === undefined || (typeof tx.from === 'string' && tx.from !== from)) return fail('its own sender');
  const isFailed = Number(receipt.status) === 0;
  const isTold = phases.length > 1;
  const statuses = isTold ? receipt.phaseStatuses : ['0x1'];
  if (!isFailed && trace === undefined && statuses?.length !== phases.length)
    return fail('the status of each phase');
  const calls = phases.flatMap((phase, at) => (Number(statuses?.[at] ?? 0) === 1 ? phase : []));
  const assetGid = nativeOf(network).gid;
  const own = calls.filter(({ amountRaw }) => amountRaw > 0n).map((call) => ({ ...call, from }));
  const moves = isFailed
    ? []
    : decodeTransfers({ ...parts, trace: withoutCalls(trace, own) }, undefined, own);
  const paid = decodeFee(network, { tx: { ...tx, from }, receipt });
  const payerOf = { sender: from, open: receipt.payer?.toLowerCase() }[payer] ?? payer;
  return {
    hash: tx.hash,
    index,
    isFailed,
    from,
    // No root covers a recovered sender, and no signature of this type is read here.
    ...(sender === undefined && { verification: 'attested' }),
    ...(paid !== undefined &&
      payerOf !== 'open' && {
        fee: { ...paid, payer: payerOf, ...(payer === 'open' && { isAttested: true }) },
      }),
    transfers: (isFailed
      ? []
      : [
          ...own.map((call) => ({
            type: 'native' as const,
            assetGid,
            ...call,
            ...(isTold && { isAttested: true }),
          })),
          ...moves,
        ]
    ).map((transfer, position) => ({ ...transfer, index: position })),
  };
}

function listOf(encoding: Uint8Array): unknown {
  try {
    return fromRlp(bytesToHex(encoding.subarray(1)), 'hex');
  } catch {
    return fail('a list');
  }
}

/** A trace shows the calls as well. Each is counted once. */
function withoutCalls(
  trace: TransactionParts['trace'],
  calls: readonly (Call & { readonly from: string })[],
): TransactionParts['trace'] {
  if (trace === undefined) return undefined;
  const left = [...calls];
  const transfers = trace.transfers.filter((move) => {
    const at = left.findIndex(
      ({ from, to, amountRaw }) => from === move.from && to === move.to && amountRaw === move.amountRaw,
    );
    if (at >= 0) left.splice(at, 1);
    return at < 0;
  });
  return { ...trace, transfers };
}

function callOf(call: unknown): Call {
  if (!Array.isArray(call) || call.length !== 3) return fail('calls of [to, value, data]');
  const [to, value] = call as [unknown, unknown];
  const address = addressOf(to);
  if (address === undefined || typeof value !== 'string') return fail('calls with a receiver and a value');
  return { to: address, amountRaw: value === '0x' ? 0n : BigInt(value) };
}

/** Undefined for the empty one. */
function addressOf(item: unknown): string | undefined {
  if (item === '0x' || item === undefined || item === null) return undefined;
  if (typeof item !== 'string' || item.length !== ADDRESS_DIGITS) return fail('addresses of 20 bytes');
  return (item as Hex).toLowerCase();
}

function fail(expected: string): never {
  throw new RangeError(`expected ${expected}, got something else`);
}
