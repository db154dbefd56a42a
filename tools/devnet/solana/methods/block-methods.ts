// SPDX-License-Identifier: Apache-2.0
import { VersionedTransaction } from '@solana/web3.js';
import {
  encodeAccounts,
  encodeSignatures,
  encodeTransaction,
  type TransactionDetails,
  type TransactionEncoding,
} from '../encode-transaction.ts';
import type { ExecutedTransaction } from '../execute-transaction.ts';
import type { Ledger, LedgerBlock } from '../ledger.ts';
import { invalidParams, RpcError } from '../rpc-error.ts';
import { commitmentOf, configOf, numberOf, type Config, type Method, type MethodContext } from './method.ts';

const RANGE_MAX = 500_000;

function headOf(ledger: Ledger, config: Config): LedgerBlock {
  return commitmentOf(config) === 'finalized' ? ledger.finalized : ledger.head;
}

const getBlock: Method = ({ ledger }, params) => {
  const slot = numberOf(params[0], 'slot');
  const config = configOf(params, 1);
  if (commitmentOf(config) === 'processed')
    throw invalidParams('Method does not support commitment below `confirmed`');
  const block = requireBlock(ledger, slot, headOf(ledger, config));
  const details = (config['transactionDetails'] ?? 'full') as TransactionDetails;
  return {
    blockHeight: block.height,
    blockTime: block.blockTime,
    blockhash: block.blockhash,
    parentSlot: block.parentSlot,
    previousBlockhash: block.previousBlockhash,
    ...(config['rewards'] === false ? {} : { rewards: rewardsOf(ledger, block) }),
    ...encodeTransactions(block, details, config),
  };
};

function requireBlock(ledger: Ledger, slot: number, head: LedgerBlock): LedgerBlock {
  if (slot > head.slot) throw new RpcError(-32004, `Block not available for slot ${slot}`);
  if (slot < ledger.firstSlot)
    throw new RpcError(
      -32001,
      `Block ${slot} cleaned up, does not exist on node. First available block: ${ledger.firstSlot}`,
    );
  const block = ledger.findBlock(slot);
  if (block === undefined)
    throw new RpcError(-32007, `Slot ${slot} was skipped, or missing due to ledger jump to recent snapshot`);
  return block;
}

function rewardsOf(ledger: Ledger, { reward, leaderBalance }: LedgerBlock): object[] {
  if (reward === 0n) return [];
  return [
    {
      pubkey: ledger.leader.toBase58(),
      lamports: Number(reward),
      postBalance: Number(leaderBalance),
      rewardType: 'Fee',
      commission: null,
    },
  ];
}

function encodeTransactions(block: LedgerBlock, details: TransactionDetails, config: Config): object {
  if (details === 'none') return {};
  if (details === 'signatures')
    return { signatures: block.transactions.map((executed) => encodeSignatures(executed)[0]) };
  const encode = details === 'accounts' ? encodeAccounts : encodeTransaction;
  return {
    transactions: block.transactions.map((executed) => encode(executed, encodingOptions(executed, config))),
  };
}

/** @throws RpcError where the caller does not take the version of the transaction */
function encodingOptions(
  { bytes }: ExecutedTransaction,
  config: Config,
): Parameters<typeof encodeTransaction>[1] {
  const versionMax = config['maxSupportedTransactionVersion'] as number | undefined;
  const { version } = VersionedTransaction.deserialize(bytes);
  if (version !== 'legacy' && (versionMax === undefined || version > versionMax))
    throw new RpcError(
      -32015,
      `Transaction version (${version}) is not supported by the requesting client. Please try the request again with the following configuration parameter: "maxSupportedTransactionVersion": ${version}`,
    );
  return {
    encoding: (config['encoding'] ?? 'json') as TransactionEncoding,
    versionMax,
  };
}

const getBlocks: Method = ({ ledger }, params) => {
  const from = numberOf(params[0], 'start_slot');
  const hasEnd = typeof params[1] === 'number';
  const head = headOf(ledger, configOf(params, hasEnd ? 2 : 1));
  const to = Math.min(hasEnd ? (params[1] as number) : head.slot, head.slot);
  if (to - from > RANGE_MAX) throw invalidParams(`Slot range too large; max ${RANGE_MAX}`);
  return slotsOf(ledger, from, to);
};

const getBlocksWithLimit: Method = ({ ledger }, params) => {
  const limit = numberOf(params[1], 'limit');
  return slotsOf(ledger, numberOf(params[0], 'start_slot'), headOf(ledger, configOf(params, 2)).slot).slice(
    0,
    limit,
  );
};

function slotsOf(ledger: Ledger, from: number, to: number): number[] {
  const slots: number[] = [];
  for (let index = ledger.blocks.length - 1; index >= 0 && ledger.blocks[index]!.slot >= from; index -= 1)
    if (ledger.blocks[index]!.slot <= to) slots.push(ledger.blocks[index]!.slot);
  return slots.reverse();
}

const getTransaction: Method = ({ ledger }, params) => {
  const config = typeof params[1] === 'string' ? { encoding: params[1] } : configOf(params, 1);
  const found = ledger.findTransaction(String(params[0]));
  if (found === undefined || found.block.slot > headOf(ledger, config).slot) return null;
  const { block, executed } = found;
  return {
    slot: block.slot,
    blockTime: block.blockTime,
    ...encodeTransaction(executed, encodingOptions(executed, config)),
  };
};

const getLatestBlockhash: Method = (context, params) => {
  const config = configOf(params, 0);
  const { blockhash, height } = headOf(context.ledger, config);
  return {
    context: { apiVersion: '3.0.0', slot: context.ledger.head.slot },
    value: { blockhash, lastValidBlockHeight: height + 150 },
  };
};

const getSlot = ({ ledger }: MethodContext, params: readonly unknown[]): number =>
  headOf(ledger, configOf(params, 0)).slot;

export const blockMethods: Readonly<Record<string, Method>> = {
  getBlock,
  getBlocks,
  getBlocksWithLimit,
  getTransaction,
  getLatestBlockhash,
  getSlot,
  getBlockHeight: ({ ledger }, params) => headOf(ledger, configOf(params, 0)).height,
  getBlockTime: ({ ledger }, params) =>
    requireBlock(ledger, numberOf(params[0], 'slot'), ledger.head).blockTime,
  getGenesisHash: ({ ledger }) => ledger.genesisHash,
  getFirstAvailableBlock: ({ ledger }) => ledger.firstSlot,
  minimumLedgerSlot: ({ ledger }) => ledger.firstSlot,
  getTransactionCount: ({ ledger }) => ledger.transactionCount,
  getSlotLeader: ({ ledger }) => ledger.leader.toBase58(),
  getHealth: () => 'ok',
  getVersion: () => ({ 'solana-core': '3.0.0', 'feature-set': 0 }),
  getEpochInfo: ({ ledger }) => ({
    absoluteSlot: ledger.head.slot,
    blockHeight: ledger.head.height,
    epoch: 0,
    slotIndex: ledger.head.slot,
    slotsInEpoch: 432_000,
    transactionCount: ledger.transactionCount,
  }),
};
