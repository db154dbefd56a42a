import type { Network, Transfer } from '@chainwatch/chain-core';
import { decodeTransferLogs, touchesBalances } from '@chainwatch/contract-abi';
import { ETHER_LOG_ADDRESS } from './ether-logs.ts';
import { readTraits } from './networks.ts';
import type { RawLog, RawReceipt } from './raw-block.ts';

/**
 * Appends the token transfers of one transaction's logs to `transfers`.
 *
 * @param logIndex of the first log in the block
 */
export function decodeLogs(
  network: Network,
  logs: readonly RawLog[],
  logIndex: number,
  transfers: Transfer[],
): void {
  const notation = {
    tokenGid: (address: string) => tokenGid(network, address),
    account: (address: string) => address,
  };
  decodeTransferLogs(notation, logs.some(isEtherLog) ? logs.map(withoutEther) : logs, logIndex, transfers);
}

/** Replaces a log of EIP-7708, which belongs to no token. */
function withoutEther(log: RawLog): RawLog {
  return isEtherLog(log) ? { ...log, topics: [] } : log;
}

function isEtherLog({ address }: RawLog): boolean {
  return address === ETHER_LOG_ADDRESS;
}

/** CAIP-19 of every contract with a log that may have moved balances without telling whose. */
export function findTouchedAssets(network: Network, receipts: readonly RawReceipt[]): string[] {
  const touched = new Set<string>();
  for (const receipt of receipts) {
    for (const log of receipt.logs) if (touchesBalances(log)) touched.add(log.address);
  }
  return toTouchedAssets(network, touched);
}

/** CAIP-19 of the contracts at these addresses, without those that mirror the native coin. */
export function toTouchedAssets(network: Network, touched: Set<string>): string[] {
  touched.delete(ETHER_LOG_ADDRESS);
  const { nativeTokenContract } = readTraits(network);
  if (nativeTokenContract !== undefined) touched.delete(nativeTokenContract);
  return Array.from(touched, (address) => tokenGid(network, address));
}

function tokenGid(network: Network, address: string): string {
  return `${network.gid}/${network.tokenNamespace}:${address.toLowerCase()}`;
}
