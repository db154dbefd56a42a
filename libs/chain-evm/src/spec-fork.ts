// SPDX-License-Identifier: Apache-2.0
import { existsSync, readFileSync } from 'node:fs';
import type { Block, BlockRef, ReadBlockOptions, RpcAnswer, RpcCall } from '@chainwatch/chain-core';
import { RLP } from '@ethereumjs/rlp';
import { computeOrderedRoot } from './compute-ordered-root.ts';
import { encodeHeader } from './parse-header.ts';
import { encodeReceipt } from './verify-receipts.ts';
import { typeOf } from './encode-transaction.ts';
import { keccak256Hex } from './encode-rlp.ts';
import { evmNetworks, readTraits } from './networks.ts';
import type { RawBlock, RawReceipt, RawTransaction } from './raw-block.ts';
import { readBlock } from './read-block.ts';
import type { RpcReply } from './rpc-transport.ts';
import type { Session } from './session.ts';
import { encode as encodeAny, stackOf } from './spec-block.ts';
import { SettlementBook } from './settlement/settlement-book.ts';

// Recorded mainnet blocks, beside the repository: ../shared/fixtures/evm (see fixtures.md).
const folder = new URL('../../../../shared/fixtures/evm/', import.meta.url);
export const hasRecorded = existsSync(folder);

type Json = Record<string, unknown>;
export type JsonBlock = Json & { hash: string; number: string; receiptsRoot: string; transactions: Json[] };
export type JsonReceipt = Json & { logs: (Json & { topics: string[]; data: string })[] };

/** What a node has of a block. */
export interface Served {
  readonly block: JsonBlock;
  readonly receipts: JsonReceipt[];
  /** Raw encodings by hash, as far as it gives them. */
  readonly raw: Map<string, string>;
  /** It gives raw encodings by their place in the block alone. */
  readonly isByPlace?: boolean;
}

export function readRecorded(name: string): Served {
  const read = <T>(part: string): T =>
    JSON.parse(readFileSync(new URL(`${name}.${part}.json`, folder), 'utf8')) as T;
  return { block: read('block'), receipts: read('receipts'), raw: new Map() };
}

/** What a later fork does to a block. */
export interface Fork {
  /** Another transaction in the place of one. */
  readonly transaction?: { readonly index: number; readonly raw: Uint8Array; readonly json: Json };
  /** One more item at the end of each, and the members that tell it. */
  readonly receipt?: Json;
  readonly log?: Json;
  readonly header?: Json;
}

/** A block as a later fork would have made it: with encodings that are not known here, under roots and a hash that hold. */
export async function applyFork({ block, receipts, raw }: Served, fork: Fork): Promise<Served> {
  const { transaction, log, receipt: member, header = {} } = fork;
  const changedHash = transaction && `0x${keccak256Hex(transaction.raw)}`;
  const transactions = block.transactions.map((tx, index) =>
    index === transaction?.index ? { ...placeOf(tx), ...transaction.json, hash: changedHash } : tx,
  );
  const encodings = transactions.map((tx, index) =>
    index === transaction?.index ? transaction.raw : encode(tx),
  );
  const listed = receipts.map((receipt, index) => ({
    ...receipt,
    ...(index === transaction?.index && {
      transactionHash: changedHash,
      type: transaction.json['type'] ?? '0x0',
      from: transaction.json['from'],
    }),
    ...member,
    logs: receipt.logs.map((entry) => ({ ...entry, ...log })),
  }));
  const receiptEncodings = listed.map((receipt, index) => {
    const tx = transactions[index] as unknown as RawTransaction;
    const type = typeOf(tx);
    const encoding = encodeReceipt(receipt as unknown as RawReceipt, tx, stackOf(tx));
    return withItems(encoding, { type, receipt: member, log });
  });
  const roots = {
    transactionsRoot: computeOrderedRoot(encodings),
    receiptsRoot: computeOrderedRoot(receiptEncodings),
  };
  const fields = RLP.decode(encodeHeader({ ...block, ...roots } as unknown as RawBlock)) as Uint8Array[];
  const hash = `0x${keccak256Hex(RLP.encode([...fields, ...itemsOf(header)]))}`;
  return {
    block: {
      ...block,
      ...roots,
      ...header,
      hash,
      transactions: transactions.map((tx) => ({ ...tx, blockHash: hash })),
    },
    receipts: listed.map((receipt) => ({ ...receipt, blockHash: hash })) as unknown as JsonReceipt[],
    raw:
      transaction === undefined
        ? raw
        : new Map([[changedHash!, `0x${Buffer.from(transaction.raw).toString('hex')}`]]),
  };
}

/** EIP-2718: the type, then a list. */
export function encodeTyped(type: number, fields: readonly (Uint8Array | string)[]): Uint8Array {
  return Buffer.concat([Buffer.from([type]), RLP.encode(fields as Uint8Array[])]);
}

/** A transaction with one more item than its type has. */
export function encodeWithItem(tx: Json, item: string): Uint8Array {
  const encoding = encode(tx);
  const type = typeOf(tx as { type?: string });
  const fields = RLP.decode(type === 0 ? encoding : encoding.subarray(1)) as Uint8Array[];
  const list = RLP.encode([...fields, Buffer.from(item.slice(2), 'hex')]);
  return type === 0 ? list : Buffer.concat([Buffer.from([type]), list]);
}

/** The block as a client reads it from a node that serves this, whichever was asked for. */
export function readServed(
  networkName: string,
  served: Served,
  {
    traces,
    asked = served,
    doubted = new Set(),
    ...options
  }: ReadBlockOptions & { traces?: unknown; asked?: Served; doubted?: Set<string> } = {},
): Promise<Block> {
  const network = evmNetworks.find(({ name }) => name === networkName)!;
  const session: Session = {
    network,
    traits: readTraits(network),
    transport: serve(served, traces),
    capabilities: {
      receipts: 'by_hash',
      trace: traces === undefined ? 'none' : 'trace_block',
      hasBlockByHash: true,
      hasMulticall: false,
      hasLogs: true,
      hasSocket: false,
    },
    doubted,
    settlement: new SettlementBook(),
  };
  return readBlock(session, { ref: refOf(asked), signal: undefined, options });
}

function refOf({ block }: Served): BlockRef {
  return { number: Number(block.number), hash: block.hash };
}

function serve(served: Served, traces: unknown): Session['transport'] {
  const answer = ({ method, params }: RpcCall): unknown => {
    if (method === 'eth_getBlockByHash') return served.block;
    if (method === 'eth_getBlockReceipts') return served.receipts;
    if (method === 'eth_getRawTransactionByHash' && served.isByPlace !== true)
      return served.raw.get(String(params[0])) ?? null;
    if (method === 'eth_getRawTransactionByBlockHashAndIndex' && params[0] === served.block.hash)
      return served.raw.get(String(served.block.transactions[Number(params[1])]?.['hash'])) ?? null;
    return method === 'trace_block' ? traces : null;
  };
  // As text, because a reader may change what it parsed.
  const ask = (call: RpcCall): RpcReply => {
    const text = JSON.stringify({ jsonrpc: '2.0', id: 1, result: answer(call) });
    return { result: () => (JSON.parse(text) as { result: unknown }).result };
  };
  return {
    call: (method, params) => Promise.resolve(ask({ method, params }).result()),
    ask: (method, params) => Promise.resolve(ask({ method, params })),
    callMany: (calls) =>
      Promise.resolve(calls.map((call): RpcAnswer => ({ type: 'result', result: ask(call).result() }))),
    close: () => undefined,
  };
}

function placeOf({ blockNumber, transactionIndex }: Json): Json {
  return { blockNumber, transactionIndex };
}

function encode(tx: Json): Uint8Array {
  return encodeAny(tx as unknown as RawTransaction);
}

function itemsOf(members: Json): Uint8Array[] {
  return Object.values(members).map((value) => Buffer.from(String(value).slice(2), 'hex'));
}

function withItems(
  encoding: Uint8Array,
  { type, receipt = {}, log = {} }: { readonly type: number; readonly receipt?: Json; readonly log?: Json },
): Uint8Array {
  const list = RLP.decode(type === 0 ? encoding : encoding.subarray(1)) as [
    Uint8Array,
    Uint8Array,
    Uint8Array,
    Uint8Array[][],
  ];
  const logs = list[3].map((entry) => [...entry, ...itemsOf(log)]);
  const changed = RLP.encode([...list.slice(0, 3), logs, ...list.slice(4), ...itemsOf(receipt)]);
  return type === 0 ? changed : Buffer.concat([Buffer.from([type]), changed]);
}
