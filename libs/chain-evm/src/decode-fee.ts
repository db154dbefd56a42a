// SPDX-License-Identifier: Apache-2.0
import type { Fee, Network } from '@chainwatch/chain-core';
import { typeOf } from './encode-transaction.ts';
import { readTraits } from './networks.ts';
import type { RawReceipt, RawTransaction } from './raw-block.ts';
import { rulesOf, type Stack } from './types-of-stack.ts';

/** Stacks on which the price of gas is what bid and base fee come to (EIP-1559), and nothing is added to it. */
const PLAIN: readonly Stack[] = ['ethereum', 'bor', 'berachain', 'hyperevm'];

export interface Charged {
  readonly tx: RawTransaction;
  readonly receipt: RawReceipt;
}

/**
 * What the sender paid for a transaction in the native coin: gas, blob gas (EIP-4844) and a roll-up's own fees. Undefined
 * where nothing was paid on this chain (deposits from L1), and where the chain has no native coin.
 */
export function decodeFee(network: Network, { tx, receipt }: Charged): Fee | undefined {
  const { stack, unchargedSender } = readTraits(network);
  const type = typeOf(tx);
  const payer = tx.from.toLowerCase();
  const assetGid = network.native?.gid;
  const isFree = rulesOf(type, stack)?.isFree === true || payer === unchargedSender;
  if (assetGid === undefined || isFree) return undefined;
  const gasPrice = receipt.effectiveGasPrice ?? tx.gasPrice;
  let amountRaw = typeof gasPrice === 'string' ? BigInt(gasPrice) * BigInt(receipt.gasUsed) : 0n;
  if (typeof receipt.blobGasUsed === 'string' && typeof receipt.blobGasPrice === 'string' && type === 3) {
    amountRaw += BigInt(receipt.blobGasUsed) * BigInt(receipt.blobGasPrice);
  }
  if (typeof receipt.l1Fee === 'string') amountRaw += BigInt(receipt.l1Fee);
  if (typeof receipt.operatorFeeScalar === 'string') amountRaw += operatorFee(receipt);
  return { assetGid, amountRaw, payer };
}

/** Marks a fee that is not what the block proves: it is the node's word, as no root covers it. */
export function withDoubt(
  of: Charged & { readonly network: Network; readonly baseFeePerGas: string | null | undefined },
  fee: Fee | undefined,
): Fee | undefined {
  return fee === undefined || isFeeProved(of, fee) ? fee : { ...fee, isAttested: true };
}

/**
 * Whether a fee is the gas that was used at the price that bid and base fee come to, both of which are proved. Roll-ups and
 * Avalanche charge by rules of their own: not looked at there.
 */
function isFeeProved(
  { network, tx, receipt, baseFeePerGas }: Parameters<typeof withDoubt>[0],
  { amountRaw }: Fee,
): boolean {
  if (!PLAIN.includes(readTraits(network).stack)) return true;
  const [cap, tip] =
    typeOf(tx) <= 1 ? [tx.gasPrice, tx.gasPrice] : [tx.maxFeePerGas, tx.maxPriorityFeePerGas];
  if (typeof cap !== 'string' || typeof tip !== 'string') return false;
  const bid = BigInt(baseFeePerGas ?? 0) + BigInt(tip);
  const price = bid < BigInt(cap) ? bid : BigInt(cap);
  return amountRaw === price * BigInt(receipt.gasUsed);
}

/** OP stack from Isthmus on; Jovian (told by the data-availability field) multiplies by 100 instead of dividing by 1e6. */
function operatorFee(receipt: RawReceipt): bigint {
  const scaled = BigInt(receipt.gasUsed) * BigInt(receipt.operatorFeeScalar ?? 0);
  const isJovian = typeof receipt.daFootprintGasScalar === 'string';
  return (isJovian ? scaled * 100n : scaled / 1_000_000n) + BigInt(receipt.operatorFeeConstant ?? 0);
}
