// SPDX-License-Identifier: Apache-2.0
import type { StoredBlock, TronNode } from '@chainwatch/tool-devnet/tron';
import { TronWeb } from 'tronweb';
import type { ExpectedTransaction } from '../test-chain.ts';

/** What of a node the service is given. */
export type Interfaces = 'both' | 'evm';

type StoredTransaction = StoredBlock['transactions'][number];

interface Info {
  readonly fee?: number;
  readonly assetIssueID?: string;
  readonly log?: readonly {
    readonly address: string;
    readonly topics: readonly string[];
    readonly data?: string;
  }[];
  readonly internal_transactions?: readonly {
    readonly caller_address: string;
    readonly transferTo_address: string;
    readonly callValueInfo: readonly { readonly callValue?: number }[];
    readonly rejected?: boolean;
  }[];
}

const TRANSFER = 'ddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef';
const NATIVE = 'slip44:1';

/**
 * What the node itself keeps of its blocks, as what a watcher of `watched` (address → first block that counts) must have.
 * Shares no code with the service: it is the oracle. By the Ethereum-compatible interface alone there are no fees, no TRC-10,
 * no stakes and no internal transfers.
 */
export function expectTransactions(
  node: TronNode,
  {
    chainGid,
    watched,
    from,
    interfaces,
  }: {
    readonly chainGid: string;
    readonly watched: ReadonlyMap<string, number>;
    readonly from: number;
    readonly interfaces: Interfaces;
  },
): Map<string, ExpectedTransaction> {
  const expected = new Map<string, ExpectedTransaction>();
  for (let number = from; number <= node.head.number; number += 1) {
    const block = node.findBlock(number)!;
    const counts = (address: string): boolean => (watched.get(address) ?? Infinity) <= number;
    for (const tx of block.transactions) {
      const isFailed = tx.contractRet !== 'SUCCESS';
      const transfers = isFailed
        ? []
        : listTransfers(tx).filter(
            (moved) =>
              (interfaces === 'both' || isShownByEvm(moved)) &&
              (counts(moved.source) || counts(moved.target)),
          );
      if (transfers.length === 0 && !counts(toBase58(String(tx.call.value['owner_address'])))) continue;
      const texts = transfers.map(({ type, asset, source, target, amount }) =>
        `${type} ${chainGid}/${asset} ${source || 'null'} ${target || 'null'} ${amount}`.toLowerCase(),
      );
      expected.set(tx.txid, {
        hash: tx.txid,
        blockNumber: number,
        blockHash: block.id,
        isFailed,
        transfers: texts.sort(),
        feesRaw: [interfaces === 'both' ? String((tx.info as Info).fee ?? 0) : null],
      });
    }
  }
  return expected;
}

/**
 * Whose TRX moved by internal transfers that the interface does not tell of (docs/adr/0008-tron-blocks.md): their balance
 * is what it was when they were last told about.
 */
export function findUntold(node: TronNode, from: number, interfaces: Interfaces): ReadonlySet<string> {
  const untold = new Set<string>();
  if (interfaces === 'both') return untold;
  for (let number = from; number <= node.head.number; number += 1) {
    for (const tx of node.findBlock(number)!.transactions)
      for (const { type, source, target } of listTransfers(tx))
        if (type === 'internal') untold.add(source).add(target);
  }
  return untold;
}

const isShownByEvm = ({ type, asset, target }: Moved): boolean =>
  type !== 'internal' && !asset.startsWith('trc10:') && target !== '';

interface Moved {
  readonly type: 'native' | 'token' | 'internal';
  readonly asset: string;
  /** Empty for nobody. */
  readonly source: string;
  readonly target: string;
  readonly amount: bigint;
}

function listTransfers({ call: { name, value }, info }: StoredTransaction): Moved[] {
  const { log = [], internal_transactions: internal = [], assetIssueID: issued } = info as Info;
  const moved: Moved[] = [];
  const note = (type: Moved['type'], { asset, source, target, amount }: Omit<Moved, 'type'>): void => {
    if (amount > 0n)
      moved.push({
        type,
        asset,
        source: source === '' ? '' : toBase58(source),
        target: target === '' ? '' : toBase58(target),
        amount,
      });
  };
  const owner = String(value['owner_address']);
  const amount = BigInt(Number(value['amount'] ?? value['call_value'] ?? 0));
  if (name === 'TransferContract')
    note('native', { asset: NATIVE, source: owner, target: String(value['to_address']), amount });
  if (name === 'TriggerSmartContract')
    note('native', { asset: NATIVE, source: owner, target: String(value['contract_address']), amount });
  if (name === 'FreezeBalanceV2Contract')
    note('native', {
      asset: NATIVE,
      source: owner,
      target: '',
      amount: BigInt(Number(value['frozen_balance'])),
    });
  if (name === 'TransferAssetContract')
    note('token', {
      asset: `trc10:${Buffer.from(String(value['asset_name']), 'hex').toString()}`,
      source: owner,
      target: String(value['to_address']),
      amount,
    });
  if (issued !== undefined)
    note('token', {
      asset: `trc10:${issued}`,
      source: '',
      target: owner,
      amount: BigInt(Number(value['total_supply'])),
    });
  for (const { address, topics, data = '' } of log) {
    if (topics[0] === TRANSFER && topics.length === 3 && data.length === 64)
      note('token', {
        asset: `trc20:${toBase58(`41${address}`)}`,
        source: `41${topics[1]!.slice(24)}`,
        target: `41${topics[2]!.slice(24)}`,
        amount: BigInt(`0x${data}`),
      });
  }
  for (const { caller_address: caller, transferTo_address: target, callValueInfo, rejected } of internal) {
    if (rejected !== true && caller !== target)
      note('internal', {
        asset: NATIVE,
        source: caller,
        target,
        amount: BigInt(callValueInfo[0]?.callValue ?? 0),
      });
  }
  return moved;
}

export function toBase58(hexAddress: string): string {
  return TronWeb.address.fromHex(hexAddress);
}
