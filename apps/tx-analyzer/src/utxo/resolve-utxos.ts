// SPDX-License-Identifier: Apache-2.0
import {
  lacksEvidence,
  type AddressFilter,
  type BlockRef,
  type Outpoint,
  type Transaction,
  type Transfer,
} from '@chainwatch/chain-core';
import type { WatchedByAddress } from '../model/matched-transaction.ts';
import { outpointKey, type KnownCoin, type AddressedOutput } from '../model/coin.ts';
import { UtxoChanges } from '../model/utxo-changes.ts';

/** Candidates (`UtxoFinder`) of one block or, without a block, of the mempool; parents before children. */
export interface UtxoBatch {
  readonly block?: BlockRef;
  readonly transactions: readonly Transaction[];
}

export interface UtxoDeps {
  readonly nativeGid: string;
  /** Canonical address of a script on this network. */
  readonly findAddress: (matchKey: string) => string | undefined;
  /** Has the match keys (scripts) of watched addresses. */
  readonly scripts: AddressFilter;
  /** Coins by `outpointKey`, spent ones included: those of the database and, for the mempool, pending ones. */
  readonly readCoins: (outpoints: readonly Outpoint[]) => Promise<ReadonlyMap<string, KnownCoin>>;
  readonly confirmAddresses: (addresses: ReadonlySet<string>) => Promise<WatchedByAddress>;
}

export interface ResolvedUtxos {
  /** With legs as transfers; one list per batch, in the same order. */
  readonly transactions: readonly (readonly Transaction[])[];
  readonly watched: WatchedByAddress;
  readonly changes: UtxoChanges;
}

/**
 * Turns the raw transactions of blocks into plain ones: looks up the coins that they spend and the addresses that
 * they pay, in one query each for all batches. A coin created in one batch is found by the batches after it.
 */
export async function resolveUtxos(deps: UtxoDeps, batches: readonly UtxoBatch[]): Promise<ResolvedUtxos> {
  const all = batches.flatMap((batch) => batch.transactions);
  const coins = await deps.readCoins(listInputs(all));
  const addresses = new Set([...coins.values()].map((coin) => coin.address));
  for (const { utxo } of all) {
    for (const { matchKey } of utxo?.outputs ?? []) {
      const address = deps.scripts.has(matchKey) ? deps.findAddress(matchKey) : undefined;
      if (address !== undefined) addresses.add(address);
    }
  }
  const watched = await deps.confirmAddresses(addresses);
  const changes = new UtxoChanges();
  const context = {
    ...deps,
    findCoin: (outpoint: Outpoint) => changes.find(outpoint) ?? coins.get(outpointKey(outpoint)),
  };
  return {
    transactions: batches.map(({ block, transactions }) =>
      transactions.map((raw) => {
        const { transaction, spent, outputs } = resolveTransaction(raw, context);
        const isUnproved = block !== undefined && lacksEvidence(transaction.verification);
        for (const outpoint of spent) changes.spend(outpoint, { by: raw.hash, block }, isUnproved);
        for (const output of outputs) {
          if (isWatched(watched, output.address, block))
            changes.create({
              ...output,
              isCoinbase: raw.utxo?.isCoinbase === true,
              block,
              ...(isUnproved && { isUnproved }),
            });
        }
        return transaction;
      }),
    ),
    watched,
    changes,
  };
}

/** The outpoints that they spend, each once. */
function listInputs(transactions: readonly Transaction[]): Outpoint[] {
  const inputs = new Map<string, Outpoint>();
  for (const { utxo } of transactions)
    for (const input of utxo?.inputs ?? []) inputs.set(outpointKey(input), input);
  return [...inputs.values()];
}

/** Whether anybody watches the address at that height. */
function isWatched(watched: WatchedByAddress, address: string, block: BlockRef | undefined): boolean {
  return (watched.get(address) ?? []).some(
    ({ fromBlock }) => block === undefined || fromBlock <= block.number,
  );
}

interface CoinContext {
  /** The chain's coin, CAIP-19. */
  readonly nativeGid: string;
  /** Spent ones, too. */
  readonly findCoin: (outpoint: Outpoint) => KnownCoin | undefined;
  /** Canonical address of a script on this network. */
  readonly findAddress: (matchKey: string) => string | undefined;
}

interface ResolvedTransaction {
  /** With its legs as transfers, and the fee where every input is known. */
  readonly transaction: Transaction;
  /** Known coins that it spends. */
  readonly spent: readonly Outpoint[];
  readonly outputs: readonly AddressedOutput[];
}

/**
 * A transaction of a UTXO chain as plain transfers: a leg without `to` per input that spends a known coin (its index is
 * the input's), a leg without `from` per output with an address (its index follows those of all inputs). The fee has
 * no payer, because the legs of the inputs carry it: the legs of an address add up to the change of its balance.
 */
function resolveTransaction(transaction: Transaction, context: CoinContext): ResolvedTransaction {
  const { isCoinbase, inputs, outputs } = transaction.utxo ?? { isCoinbase: false, inputs: [], outputs: [] };
  const common = { type: 'native', assetGid: context.nativeGid } as const;
  const transfers: Transfer[] = [];
  const spent: Outpoint[] = [];
  const addressed: AddressedOutput[] = [];
  let feeRaw = 0n;
  let hasUnproved = false;
  for (const [vin, input] of inputs.entries()) {
    const coin = context.findCoin(input);
    if (coin === undefined) continue;
    spent.push(input);
    hasUnproved ||= coin.isUnproved === true;
    feeRaw += coin.amountRaw;
    transfers.push({ index: vin, ...common, from: coin.address, amountRaw: coin.amountRaw });
  }
  for (const [vout, { matchKey, amountRaw }] of outputs.entries()) {
    feeRaw -= amountRaw;
    const address = context.findAddress(matchKey);
    if (address === undefined) continue;
    addressed.push({ txid: transaction.hash, vout, address, amountRaw });
    transfers.push({ index: inputs.length + vout, ...common, to: address, amountRaw });
  }
  const isFeeKnown = !isCoinbase && spent.length === inputs.length;
  return {
    transaction: {
      ...transaction,
      transfers,
      // No more stands behind what it moves than behind the coins that it spends.
      ...(hasUnproved && !lacksEvidence(transaction.verification) && { verification: 'unproved' }),
      ...(isFeeKnown ? { fee: { assetGid: context.nativeGid, amountRaw: feeRaw } } : {}),
    },
    spent,
    outputs: addressed,
  };
}
