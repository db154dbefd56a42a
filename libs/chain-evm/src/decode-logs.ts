import type { Network, Transfer } from '@chainwatch/chain-core';
import { readTraits } from './networks.ts';
import type { RawLog, RawReceipt } from './raw-block.ts';

const transferTopic = '0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef';
const approvalTopic = '0x8c5be1e5ebec7d5bd14f71427d1e84f3dd0314c0f7b2291e5b200ac8c7c3b925';
const approvalForAllTopic = '0x17307eab39ab6107e8899845ad3d59bd9653f200f220920489ca2b5937696c31';

/**
 * Appends the token transfers of one transaction's logs to `transfers`. Only the standard form counts: three topics and
 * one word of data; ERC-721 (four topics) and forms without indexed topics are passed over.
 *
 * @param logIndex of the first log in the block
 */
export function decodeLogs(network: Network, logs: readonly RawLog[], logIndex: number, transfers: Transfer[]): void {
  for (let i = 0; i < logs.length; i++) {
    const log = logs[i];
    if (log === undefined || !isTokenTransfer(log)) continue;
    transfers.push({
      index: transfers.length,
      type: 'token',
      assetGid: tokenGid(network, log.address),
      from: topicAddress(log.topics[1]),
      to: topicAddress(log.topics[2]),
      amountRaw: BigInt(log.data),
      logIndex: logIndex + i,
    });
  }
}

/**
 * CAIP-19 of every contract that logged something which is neither a transfer nor an approval; a transfer in a form that
 * `decodeLogs` passes over counts as something else, ERC-721 apart, because it may have moved a balance.
 */
export function findTouchedAssets(network: Network, receipts: readonly RawReceipt[]): string[] {
  const touched = new Set<string>();
  for (const receipt of receipts) {
    for (const log of receipt.logs) if (!isTransferOrApproval(log)) touched.add(log.address);
  }
  const { nativeTokenContract } = readTraits(network);
  if (nativeTokenContract !== undefined) touched.delete(nativeTokenContract);
  return Array.from(touched, (address) => tokenGid(network, address));
}

function isTokenTransfer(log: RawLog): boolean {
  return log.topics.length === 3 && log.data.length === 66 && log.topics[0] === transferTopic;
}

function isTransferOrApproval(log: RawLog): boolean {
  const topic = log.topics[0];
  if (topic === transferTopic) return log.topics.length === 4 || isTokenTransfer(log);
  return topic === approvalTopic || topic === approvalForAllTopic;
}

function tokenGid(network: Network, address: string): string {
  return `${network.gid}/${network.tokenNamespace}:${address.toLowerCase()}`;
}

/** The address in an indexed topic: its last 20 bytes. */
function topicAddress(topic: string | undefined): string {
  return `0x${(topic ?? '').slice(26).toLowerCase()}`;
}
