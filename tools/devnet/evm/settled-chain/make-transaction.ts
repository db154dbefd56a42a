// SPDX-License-Identifier: Apache-2.0
import { RLP } from '@ethereumjs/rlp';
import { secp256k1 } from '@noble/curves/secp256k1.js';
import { keccak_256 } from '@noble/hashes/sha3.js';
import { bloomOf, bytesOf, keccak, toHex, toQuantity, toWord, withType } from './encode-parts.ts';
import type { ChainLog, Hex, ReceiptContent } from './encode-parts.ts';

/** Keccak-256 of `Transfer(address,address,uint256)`. */
const TRANSFER_TOPIC = '0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef';
const GAS_LIMIT = 200_000;
/** The bid, in wei, which a legacy transaction pays. */
const GAS_PRICE_MAX = 50_000_000_000n;
const TIP = 1_000_000_000n;
/** What nodes tell as the `gasPrice` of other transactions: by the base fee of the header, which nobody pays. */
const GAS_PRICE_WORST = 41_000_000_000n;
/** What those pay, in wei. */
const GAS_PRICE_PAID = 25_000_000_000n;

export interface TransactionPlan {
  /** The sender, as a number of `accountOf`; default 0. */
  readonly from?: number;
  /** Default: an address of nobody. */
  readonly to?: Hex;
  /** Wei; default 0. */
  readonly value?: bigint;
  /** An ERC-20 transfer by the sender, told by a log of `contract`. */
  readonly token?: { readonly contract: Hex; readonly to: Hex; readonly amountRaw: bigint };
  /** More logs, after that of the token. */
  readonly logs?: readonly ChainLog[];
  /** A failed transaction has no logs. */
  readonly isFailed?: boolean;
  /** Default 21,000, with logs 60,000. */
  readonly gasUsed?: number;
  /** Of type 0; default: of type 2. */
  readonly isLegacy?: boolean;
}

/** A transaction as a node lists it, without the members that tell its place. */
export interface MadeTransaction {
  readonly json: Readonly<Record<string, unknown>> & { readonly hash: Hex; readonly from: Hex };
  readonly encoding: Uint8Array;
  readonly receipt: ReceiptContent;
  readonly gasUsed: number;
  /** Wei. */
  readonly gasPrice: bigint;
}

/** Address of account `index`, whose key is `index + 1`. */
export function accountOf(index: number): Hex {
  const key = secp256k1.getPublicKey(keyOf(index), false);
  return `0x${keccak(key.subarray(1)).slice(26)}`;
}

/** A signed transaction (EIP-155, EIP-1559), and what comes of it. */
export function makeTransaction(
  plan: TransactionPlan,
  {
    chainId,
    nonce,
    gasBefore,
  }: { readonly chainId: number; readonly nonce: number; readonly gasBefore: number },
): MadeTransaction {
  const { from = 0, to = `0x${'99'.repeat(20)}`, value = 0n, isFailed = false, isLegacy = false } = plan;
  const sender = accountOf(from);
  const call: Call = { chainId: toQuantity(chainId), nonce: toQuantity(nonce), to, value: toQuantity(value) };
  const { encoding, members } = isLegacy ? signLegacy(call, from) : signDynamic(call, from);
  const logs = isFailed ? [] : logsOf(plan, sender);
  const gasUsed = plan.gasUsed ?? (logs.length > 0 ? 60_000 : 21_000);
  return {
    json: {
      hash: keccak(encoding),
      from: sender,
      ...call,
      gas: toQuantity(GAS_LIMIT),
      input: '0x',
      ...members,
    },
    encoding,
    receipt: { type: isLegacy ? 0 : 2, isFailed, cumulativeGasUsed: gasBefore + gasUsed, logs },
    gasUsed,
    gasPrice: isLegacy ? GAS_PRICE_MAX : GAS_PRICE_PAID,
  };
}

interface Call {
  readonly chainId: Hex;
  readonly nonce: Hex;
  readonly to: Hex;
  readonly value: Hex;
}

interface Signed {
  readonly encoding: Uint8Array;
  /** Members of the JSON that its type has. */
  readonly members: Readonly<Record<string, unknown>>;
}

function signLegacy({ chainId, nonce, to, value }: Call, from: number): Signed {
  const fields: Hex[] = [nonce, toQuantity(GAS_PRICE_MAX), toQuantity(GAS_LIMIT), to, value, '0x'];
  const { parity, r, s } = sign(encode([...fields, chainId, '0x', '0x']), from);
  const v = toQuantity(Number(chainId) * 2 + 35 + parity);
  return {
    encoding: encode([...fields, v, r, s]),
    members: { type: '0x0', gasPrice: toQuantity(GAS_PRICE_MAX), v, r, s },
  };
}

function signDynamic({ chainId, nonce, to, value }: Call, from: number): Signed {
  const fees = { maxPriorityFeePerGas: toQuantity(TIP), maxFeePerGas: toQuantity(GAS_PRICE_MAX) };
  const fields: (Hex | Hex[])[] = [
    chainId,
    nonce,
    fees.maxPriorityFeePerGas,
    fees.maxFeePerGas,
    toQuantity(GAS_LIMIT),
    to,
    value,
    '0x',
    [],
  ];
  const { parity, r, s } = sign(withType(2, encode(fields)), from);
  const yParity = toQuantity(parity);
  return {
    encoding: withType(2, encode([...fields, yParity, r, s])),
    members: {
      type: '0x2',
      gasPrice: toQuantity(GAS_PRICE_WORST),
      ...fees,
      accessList: [],
      v: yParity,
      yParity,
      r,
      s,
    },
  };
}

function sign(
  message: Uint8Array,
  from: number,
): { readonly parity: number; readonly r: Hex; readonly s: Hex } {
  const signed = secp256k1.sign(keccak_256(message), keyOf(from), { prehash: false, format: 'recovered' });
  const numberAt = (start: number): Hex => toQuantity(BigInt(toHex(signed.subarray(start, start + 32))));
  return { parity: signed[0]!, r: numberAt(1), s: numberAt(33) };
}

/** A receipt as a node gives it, without the members that tell its place. */
export function describeReceipt({
  json,
  receipt,
  gasUsed,
  gasPrice,
}: MadeTransaction): Record<string, unknown> {
  return {
    transactionHash: json.hash,
    type: toQuantity(receipt.type),
    from: json.from,
    to: json['to'],
    contractAddress: null,
    status: receipt.isFailed ? '0x0' : '0x1',
    cumulativeGasUsed: toQuantity(receipt.cumulativeGasUsed),
    gasUsed: toQuantity(gasUsed),
    effectiveGasPrice: toQuantity(gasPrice),
    logsBloom: bloomOf(receipt.logs),
  };
}

function logsOf({ token, logs = [] }: TransactionPlan, sender: Hex): readonly ChainLog[] {
  if (token === undefined) return logs;
  const { contract, to, amountRaw } = token;
  const topics: Hex[] = [TRANSFER_TOPIC, toWord(sender), toWord(to)];
  return [{ address: contract, topics, data: toWord(amountRaw) }, ...logs];
}

function encode(fields: readonly (Hex | Hex[])[]): Uint8Array {
  return RLP.encode(fields.map((field) => (typeof field === 'string' ? bytesOf(field) : field)));
}

function keyOf(index: number): Uint8Array {
  return bytesOf(toWord(index + 1));
}
