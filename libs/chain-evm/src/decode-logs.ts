import type { Block, Network, Transfer } from '@chainwatch/chain-core';
import { decodeTransferLogs, TouchedContracts, type ContractNotation } from '@chainwatch/contract-abi';
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
    wrapper: readTraits(network).wrappedNative,
  };
}

/**
 * Movements of the native coin in a transaction's logs, in the order of execution, with EIP-7708 its own payment
 * included. Polygon's contract that mirrors the coin names the caller as sender, who has paid the contract; the contract pays
 * the receiver.
 */
export function decodeEtherLogs(network: Network, logs: readonly RawLog[]): InternalTransfer[] {
  const { nativeTokenContract, nativeTokenLogs } = readTraits(network);
  const moves: InternalTransfer[] = [];
  for (const log of logs) {
    const isMirror = nativeTokenLogs === 'payouts' && log.address === nativeTokenContract;
    if (log.address !== ETHER_LOG_ADDRESS && !isMirror) continue;
    const move = toMove(log);
    if (move !== undefined) moves.push(isMirror ? { ...move, from: log.address } : move);
  }
  return moves;
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
