// SPDX-License-Identifier: Apache-2.0
import type { Block, Network, Transfer } from '@chainwatch/chain-core';
import { decodeTransferLogs, TouchedContracts, type ContractNotation } from '@chainwatch/ethereum/abi';
import { readTraits } from './networks.ts';
import type { RawLog, RawReceipt } from './raw-block.ts';
import type { InternalTransfer } from './read-traces.ts';

/** The address that logs movements of ether (EIP-7708). No contract is there, and its logs belong to no token. */
export const ETHER_LOG_ADDRESS = '0xfffffffffffffffffffffffffffffffffffffffe';

export const TRANSFER_TOPIC = '0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef';
/** Burn(address,uint256), and Selfdestruct(address,uint256) as drafts of the EIP had it. */
const BURN_TOPICS = [
  '0xcc16f5dbb4873280815c1ee09dbd06736cffcc184412cf7a71a0fdb75d397ca5',
  '0x4bfaba3443c1a1836cd362418edc679fc96cae8449cbefccb6457cdf2c943083',
];

/** LogTransfer(address,address,address,uint256,uint256,uint256,uint256,uint256) of Bor. */
const BOR_MOVE_TOPIC = '0xe6497e3ee548a3372136af2fcb0696db31fc6cf20260707645068bd3fe97f3c4';

/**
 * Appends the token transfers of one transaction's logs to `transfers`.
 *
 * @param logIndex of the first log in the block
 */
export function decodeLogs(
  network: Network,
  {
    logs,
    logIndex,
    transfers,
  }: { readonly logs: readonly RawLog[]; readonly logIndex: number; readonly transfers: Transfer[] },
): void {
  const { nativeTokenContract } = readTraits(network);
  const isNative = ({ address }: RawLog): boolean =>
    address === ETHER_LOG_ADDRESS || address === nativeTokenContract;
  decodeTransferLogs(notationOf(network), {
    // Logs of the native coin belong to no token.
    logs: logs.some(isNative) ? logs.map((log) => (isNative(log) ? { ...log, topics: [] } : log)) : logs,
    logIndex,
    transfers,
  });
}

/** Every contract with a log that may have moved balances without telling whose, and the accounts that such logs name. */
export function findTouchedAssets(
  network: Network,
  receipts: readonly RawReceipt[],
): Pick<Block, 'touchedAssets' | 'mentions'> {
  const touched = new TouchedContracts();
  for (const { logs } of receipts) touched.add(logs);
  // What mirrors the native coin is no token.
  touched.leaveOut(ETHER_LOG_ADDRESS);
  const { nativeTokenContract } = readTraits(network);
  if (nativeTokenContract !== undefined) touched.leaveOut(nativeTokenContract);
  return touched.list(notationOf(network));
}

export function notationOf(network: Network): ContractNotation {
  return {
    tokenGid: (address) => `${network.gid}/${network.tokenNamespace}:${address.toLowerCase()}`,
    account: (address) => address,
    wrapper: network.wrappedNative,
  };
}

/**
 * Movements of the native coin in a transaction's logs, in the order of execution, with its own payment included (EIP-7708,
 * Bor).
 */
export function decodeEtherLogs(network: Network, logs: readonly RawLog[]): InternalTransfer[] {
  const { nativeTokenContract, nativeTokenLogs } = readTraits(network);
  const ethers = logs.flatMap((log) => (log.address === ETHER_LOG_ADDRESS ? (toMove(log) ?? []) : []));
  if (nativeTokenLogs !== 'payouts' || nativeTokenContract === undefined) return ethers;
  return [...ethers, ...decodeBorMoves(nativeTokenContract, logs)];
}

/**
 * Bor logs each movement of the coin at the contract that mirrors it, also where a call of a contract or a deposit from
 * Ethereum makes it (0xPolygon/bor `core/bor_fee_log.go`). The contract itself logs its own transfers once more, as `Transfer` of
 * the caller, who has paid the contract, and behind it as the movement, with the token of Ethereum or its own address.
 */
function decodeBorMoves(contract: string, logs: readonly RawLog[]): InternalTransfer[] {
  const own = logs.filter(({ address }) => address === contract);
  const moves = own.flatMap((log, at): InternalTransfer[] => {
    const [topic, token, from, to] = log.topics;
    if (topic !== BOR_MOVE_TOPIC || addressOf(token) !== contract || log.data.length < 66) return [];
    const amountRaw = BigInt(log.data.slice(0, 66));
    const before = own[at - 1];
    const copied = before?.topics[0] === TRANSFER_TOPIC ? toMove(before) : undefined;
    const move = { from: addressOf(from), to: addressOf(to), amountRaw };
    const isCopy = copied !== undefined && keyOf(copied) === keyOf(move);
    return amountRaw === 0n || isCopy ? [] : [move];
  });
  if (moves.length > 0) return moves;
  // Without these logs, the contract pays the receiver what its caller has paid it.
  return own.flatMap((log) => {
    const move = toMove(log);
    return move === undefined ? [] : [{ ...move, from: contract }];
  });
}

/**
 * Movements of the native coin that the chain makes for the contract that mirrors it (Celo): no call carries them, so no trace
 * shows them.
 */
export function decodeMirrorMoves(network: Network, logs: readonly RawLog[]): InternalTransfer[] {
  const { nativeTokenContract, nativeTokenLogs } = readTraits(network);
  if (nativeTokenLogs !== 'moves') return [];
  return logs.flatMap((log) => (log.address === nativeTokenContract ? (toMove(log) ?? []) : []));
}

function toMove({ topics, data }: RawLog): InternalTransfer | undefined {
  const [topic = '', from = '', to] = topics;
  const amountRaw = data.length === 66 ? BigInt(data) : 0n;
  if (amountRaw === 0n) return undefined;
  if (topic === TRANSFER_TOPIC && topics.length === 3)
    return { from: addressOf(from), to: addressOf(to), amountRaw };
  return BURN_TOPICS.includes(topic) && topics.length === 2
    ? { from: addressOf(from), amountRaw }
    : undefined;
}

/**
 * Merges the moves of logs and traces. A root proves the logs, so they come first; moves that only the traces
 * have are added behind. So a logged move has the same place whether the node traces or not.
 */
export function mergeMoves(
  logged: readonly InternalTransfer[],
  traced: readonly InternalTransfer[],
): readonly InternalTransfer[] {
  if (logged.length === 0) return traced;
  const counts = new Map<string, number>();
  for (const move of logged) counts.set(keyOf(move), (counts.get(keyOf(move)) ?? 0) + 1);
  const unlogged = traced.filter((move) => {
    // A move from an account to itself is not logged.
    if (move.from === move.to) return false;
    const count = counts.get(keyOf(move)) ?? 0;
    counts.set(keyOf(move), count - 1);
    return count <= 0;
  });
  return [...logged, ...unlogged];
}

function keyOf({ from, to, amountRaw }: InternalTransfer): string {
  return `${from} ${to ?? ''} ${amountRaw}`;
}

/** The address in a topic. */
export function addressOf(topic = ''): string {
  return `0x${topic.slice(26)}`;
}
