import type { Block, Network, Transaction, Transfer } from '@chainwatch/chain-core';
import { decodeTransferLogs, touchesBalances, type ContractLog } from '@chainwatch/contract-abi';
import { keccak_256 } from '@noble/hashes/sha3.js';
import { listInternalMoves, listMoves, type Move } from './list-moves.ts';
import { bytesOf } from './protobuf.ts';
import { CONTRACT_TYPES, type Contract } from './read-contract.ts';
import { findAddress } from './to-address.ts';
import { findAssetGid, notationOf, tokenGid } from './token-gid.ts';
import type { VerifiedBlock, VerifiedTransaction } from './verify-block.ts';
import type { TransactionInfo } from './wallet-block.ts';

/** Ids of TRC-10 tokens by name: transactions from before there were ids use names. */
export type AssetIds = ReadonlyMap<string, string>;

/** Decodes a proved block of the wallet API. */
export function decodeBlock(
  network: Network,
  { header, transactions }: Omit<VerifiedBlock, 'unknowns'>,
  assetIds: AssetIds,
): Block {
  const touched = new Set<string>();
  let logIndex = 0;
  const decoded = transactions.map((tx, index) => {
    const logs = readLogs(tx.info);
    for (const log of logs) if (touchesBalances(log)) touched.add(log.address);
    const result = decodeTransaction({ network, tx, index, logs, logIndex, assetIds });
    logIndex += logs.length;
    return result;
  });
  return {
    ...header,
    transactions: decoded,
    balanceChanges: [],
    touchedAssets: Array.from(touched, (address) => tokenGid(network, address)),
  };
}

/** `0x` as everywhere else. */
function readLogs({ log = [] }: TransactionInfo): ContractLog[] {
  return log.map(({ address = '', topics = [], data = '' }) => ({
    address: `0x${address}`,
    topics: topics.map((topic) => `0x${topic}`),
    data: `0x${data}`,
  }));
}

interface TransactionParts {
  readonly network: Network;
  readonly tx: VerifiedTransaction;
  readonly index: number;
  readonly logs: readonly ContractLog[];
  /** Index in the block of the transaction's first log. */
  readonly logIndex: number;
  readonly assetIds: AssetIds;
}

function decodeTransaction(parts: TransactionParts): Transaction {
  const {
    network,
    index,
    tx: { hash, contract, isFailed, info, isUnproved },
  } = parts;
  const from = findAddress(contract.owner);
  const created =
    contract.type === CONTRACT_TYPES.createSmartContract
      ? deriveContract(hash, contract.owner)
      : Buffer.alloc(0);
  // A failed call burns its energy and bandwidth all the same.
  const fee =
    from === undefined
      ? undefined
      : { assetGid: network.native.gid, amountRaw: BigInt(info.fee ?? 0), payer: from };
  return {
    hash,
    index,
    isFailed,
    from,
    to: findAddress(findCallee(contract)),
    createdContract: isFailed ? undefined : findAddress(created),
    fee,
    memo: contract.memo,
    transfers: isFailed ? [] : decodeTransfers(parts, created),
    ...(isUnproved === true && { isUnproved }),
  };
}

function decodeTransfers(
  { network, tx, logs, logIndex, assetIds }: TransactionParts,
  created: Buffer,
): Transfer[] {
  const transfers: Transfer[] = [];
  const add = ({ type, asset, from, to, amountRaw }: Move): void => {
    const gid =
      asset === undefined ? network.native.gid : findAssetGid(network, assetIds.get(asset) ?? asset);
    // Without a token of that name there is no asset to report.
    if (amountRaw <= 0n || gid === undefined) return;
    transfers.push({
      index: transfers.length,
      type,
      assetGid: gid,
      from: findAddress(from),
      to: findAddress(to),
      amountRaw,
    });
  };
  listMoves(tx.contract, tx.info, created).forEach(add);
  decodeTransferLogs(notationOf(network), { logs, logIndex, transfers });
  listInternalMoves(tx.info.internal_transactions ?? []).forEach(add);
  return transfers;
}

function findCallee({ type, parameter }: Contract): Buffer {
  if (type === CONTRACT_TYPES.transfer || type === CONTRACT_TYPES.triggerSmartContract)
    return bytesOf(parameter, 2);
  return type === CONTRACT_TYPES.transferAsset ? bytesOf(parameter, 3) : Buffer.alloc(0);
}

/**
 * Address of a created contract: the last 20 bytes of Keccak-256 of the transaction's id and its owner
 * (java-tron, generateContractAddress).
 */
function deriveContract(txid: string, owner: Buffer): Buffer {
  const hash = keccak_256(Buffer.concat([Buffer.from(txid, 'hex'), owner]));
  return Buffer.concat([Buffer.of(0x41), hash.subarray(12)]);
}
