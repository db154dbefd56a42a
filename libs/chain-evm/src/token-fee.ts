// SPDX-License-Identifier: Apache-2.0
import type { AssetMentions, BalanceChange, Fee, Network } from '@chainwatch/chain-core';
import { addressOf, notationOf, TRANSFER_TOPIC } from './decode-logs.ts';
import { readTraits } from './networks.ts';
import type { RawLog, RawReceipt, RawTransaction } from './raw-block.ts';
import { findBaseFee } from './types-of-stack.ts';

const NOBODY = `0x${'0'.repeat(40)}`;
/** An adapter shows a token as one of 18 decimals; what it rounds away is one unit of the token at most. */
const MOST_DIGITS = 18;
const ROUNDED = 1n;

/** What a transaction paid in a token, and its receipt without the logs of that. */
export interface TokenFee {
  /** Absent where the logs do not show it: their transfers then tell all that moved. */
  readonly fee?: Fee;
  readonly receipt: RawReceipt;
  /** Who got it. */
  readonly earned: readonly BalanceChange[];
}

interface Move {
  readonly contract: string;
  readonly from: string;
  readonly to: string;
  readonly amountRaw: bigint;
}

/**
 * The fee of a transaction that names the token in which it pays (Celo, CIP-64); undefined for any other. The chain takes the
 * gas that could be used from the payer before the transaction runs and gives back what was not used behind it. Both are
 * logged in the receipt as transfers of the token, also of a transaction that failed. These logs are the fee. Through an
 * adapter it is paid in a token of fewer decimals, whose contract is that of the logs.
 */
export function findTokenFee(
  network: Network,
  tx: RawTransaction,
  receipt: RawReceipt,
): TokenFee | undefined {
  const { feeCurrency } = tx;
  if (readTraits(network).stack !== 'celo' || typeof feeCurrency !== 'string') return undefined;
  const payer = tx.from.toLowerCase();
  const price = findPrice(tx, receipt);
  if (price === undefined) return { receipt, earned: [] };
  const moves = receipt.logs.map(toMove);
  const taken = findTaken(moves[0], { payer, contract: feeCurrency, most: BigInt(tx.gas) * price });
  const contract = taken?.contract ?? feeCurrency;
  const used = (BigInt(receipt.gasUsed) * price) / 10n ** BigInt(taken?.digits ?? 0);
  const first = taken === undefined ? 0 : 1;
  const given = findGiven(moves.slice(first), { payer, contract, taken: taken?.amountRaw ?? 0n, used });
  if (given === undefined) return { receipt, earned: [] };
  const assetGid = notationOf(network).tokenGid(contract);
  const from = first + given.from;
  return {
    fee: { assetGid, amountRaw: given.amountRaw, payer },
    receipt: {
      ...receipt,
      logs: receipt.logs.map((log, at) => (at < first || at >= from ? { ...log, topics: [] } : log)),
    },
    earned: [...given.earned].map(([address, amountRaw]) => ({
      address,
      assetGid,
      amountRaw,
      reason: 'reward',
    })),
  };
}

/** Who paid and got such fees: no transfer names them, and their balance of the token has changed. */
export function listFeeMentions(fees: readonly TokenFee[]): AssetMentions[] {
  const named = new Map<string, Set<string>>();
  for (const { fee, earned } of fees) {
    if (fee === undefined) continue;
    const addresses = named.get(fee.assetGid) ?? new Set<string>();
    named.set(fee.assetGid, addresses);
    for (const address of [fee.payer, ...earned.map((change) => change.address)])
      if (address !== undefined) addresses.add(address);
  }
  return [...named].map(([assetGid, addresses]) => ({ assetGid, addresses: [...addresses] }));
}

/** The price of gas in the token: what the transaction bids on top of the base fee, both of which roots cover. */
function findPrice(tx: RawTransaction, receipt: RawReceipt): bigint | undefined {
  const baseFee = findBaseFee(receipt, tx);
  const cap = BigInt(tx.maxFeePerGas ?? 0);
  if (baseFee === undefined) return typeof receipt.effectiveGasPrice === 'string' ? cap : undefined;
  const bid = baseFee + BigInt(tx.maxPriorityFeePerGas ?? 0);
  return bid < cap ? bid : cap;
}

/** What was taken beforehand: the first log, unless the token does not log it. */
function findTaken(
  first: Move | undefined,
  { payer, contract, most }: { readonly payer: string; readonly contract: string; readonly most: bigint },
): (Move & { readonly digits: number }) | undefined {
  if (first === undefined || first.from !== payer || first.to !== NOBODY || first.amountRaw === 0n)
    return undefined;
  for (let digits = 0; digits <= (first.contract === contract ? 0 : MOST_DIGITS); digits++)
    if (first.amountRaw === most / 10n ** BigInt(digits)) return { ...first, digits };
  return undefined;
}

/**
 * The logs at the end by which the payer got back what was not used, and others what was: the shortest that leave the payer
 * with exactly what others got, which is the price of the gas that was used.
 */
function findGiven(
  moves: readonly (Move | undefined)[],
  {
    payer,
    contract,
    taken,
    used,
  }: { readonly payer: string; readonly contract: string; readonly taken: bigint; readonly used: bigint },
): { readonly from: number; readonly amountRaw: bigint; readonly earned: Map<string, bigint> } | undefined {
  const earned = new Map<string, bigint>();
  let own = -taken;
  let amountRaw = 0n;
  for (let from = moves.length; from >= 0; from--) {
    if (own === -amountRaw && amountRaw >= used && amountRaw <= used + ROUNDED)
      return { from: withoutNothing(moves, { from, contract }), amountRaw, earned };
    const move = moves[from - 1];
    if (move?.contract !== contract) return undefined;
    if (move.from === payer) own -= move.amountRaw;
    if (move.to === payer) own += move.amountRaw;
    else if (move.to !== NOBODY) {
      amountRaw += move.amountRaw;
      earned.set(move.to, (earned.get(move.to) ?? 0n) + move.amountRaw);
    }
  }
  return undefined;
}

/** Giving back nothing is logged as well. */
function withoutNothing(
  moves: readonly (Move | undefined)[],
  { from, contract }: { readonly from: number; readonly contract: string },
): number {
  const move = moves[from - 1];
  return move?.contract === contract && move.from === NOBODY && move.amountRaw === 0n ? from - 1 : from;
}

function toMove({ address, topics, data }: RawLog): Move | undefined {
  if (topics[0] !== TRANSFER_TOPIC || topics.length !== 3 || data.length !== 66) return undefined;
  return {
    contract: address,
    from: addressOf(topics[1]),
    to: addressOf(topics[2]),
    amountRaw: BigInt(data),
  };
}
