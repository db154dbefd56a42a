// SPDX-License-Identifier: Apache-2.0
import {
  nativeOf,
  type BalanceChange,
  type Block,
  type Network,
  type Transaction,
  type Transfer,
} from '@chainwatch/chain-core';
import { decodeTransferLogs, TouchedContracts, type ContractLog } from '@chainwatch/ethereum/abi';
import { keccak_256 } from '@noble/hashes/sha3.js';
import { listInternalMoves } from './internal-moves.ts';
import type { Lookups } from './read-lookups.ts';
import { type Change, type Effects, type Move, native, token, change, TRX_SYMBOL } from './move.ts';
import { bytesOf, intOf, messageOf, readFields, type Fields } from './protobuf.ts';
import { CONTRACT_TYPES, type Contract } from './read-contract.ts';
import { findAddress } from './to-address.ts';
import { findAssetGid, notationOf } from './token-gid.ts';
import type { VerifiedBlock, VerifiedTransaction } from './verify-block.ts';
import type { TransactionInfo } from './wallet-block.ts';
import { listTradeMoves } from './trade-moves.ts';

const RUNS_CODE: ReadonlySet<number> = new Set([
  CONTRACT_TYPES.createSmartContract,
  CONTRACT_TYPES.triggerSmartContract,
]);

/** Decodes a proved block of the wallet API. */
export function decodeBlock(
  network: Network,
  { header, transactions }: Omit<VerifiedBlock, 'unknowns'>,
  lookups: Lookups,
): Block {
  const touched = new TouchedContracts();
  const balanceChanges: BalanceChange[] = [];
  let logIndex = 0;
  const decoded = transactions.map((tx, index) => {
    const logs = readLogs(tx.info);
    touched.add(logs);
    const result = decodeTransaction({ network, tx, index, logs, logIndex, lookups, balanceChanges });
    logIndex += logs.length;
    return result;
  });
  return {
    ...header,
    transactions: decoded,
    balanceChanges,
    ...touched.list(notationOf(network)),
    ...(transactions.every(({ info }) => (info.internal_transactions ?? []).length === 0) && {
      leavesOut: 'internal',
    }),
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
  readonly lookups: Lookups;
  /** Of the block: what the node does not tell an amount of is added. */
  readonly balanceChanges: BalanceChange[];
}

function decodeTransaction(parts: TransactionParts): Transaction {
  const {
    network,
    index,
    tx: { hash, contract, isFailed, info, isUnproved },
    lookups,
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
      : { assetGid: nativeOf(network).gid, amountRaw: BigInt(info.fee ?? 0), payer: from, isAttested: true };
  const effects = isFailed ? undefined : listMoves(contract, info, { created, lookups });
  return {
    hash,
    index,
    isFailed,
    from,
    to: findAddress(findCallee(contract)),
    createdContract: isFailed ? undefined : findAddress(created),
    fee,
    memo: contract.memo,
    transfers: effects === undefined ? [] : decodeTransfers(parts, effects),
    ...(isUnproved === true
      ? { verification: 'unproved' }
      : effects !== undefined && isAttested(parts, effects) && { verification: 'attested' }),
  };
}

/** Whether a part of what a transaction did stands in its record alone, which no root covers: all that contracts did does. */
function isAttested({ tx: { contract, info }, logs }: TransactionParts, effects: Effects): boolean {
  return (
    effects.isAttested === true ||
    RUNS_CODE.has(contract.type) ||
    logs.length > 0 ||
    (info.internal_transactions ?? []).length > 0
  );
}

function decodeTransfers(
  { network, tx, logs, logIndex, lookups: { assetIds }, balanceChanges }: TransactionParts,
  effects: Effects,
): Transfer[] {
  const transfers: Transfer[] = [];
  const gidOf = (asset: string | undefined): string | undefined =>
    asset === undefined ? nativeOf(network).gid : findAssetGid(network, assetIds.get(asset) ?? asset);
  const add = ({ type, asset, from, to, amountRaw }: Move): void => {
    const gid = gidOf(asset);
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
  const addChange = ({ account, asset }: Change): void => {
    const [address, assetGid] = [findAddress(account), gidOf(asset)];
    if (address !== undefined && assetGid !== undefined)
      balanceChanges.push({ address, assetGid, reason: 'other' });
  };
  const internal = listInternalMoves(tx.info.internal_transactions ?? []);
  effects.moves.forEach(add);
  decodeTransferLogs(notationOf(network), { logs, logIndex, transfers });
  internal.moves.forEach(add);
  effects.changes?.forEach(addChange);
  internal.changes.forEach(addChange);
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

const NOTHING: Effects = { moves: [] };

/**
 * What a successful transaction does to balances by itself, in the order in which java-tron does it. `created` are the
 * 21 bytes of a contract that it creates. Fees, burned costs included, are in the record's `fee`.
 */
function listMoves(
  contract: Contract,
  info: TransactionInfo,
  { created, lookups }: { readonly created: Buffer; readonly lookups: Lookups },
): Effects {
  const { type, parameter, owner } = contract;
  switch (type) {
    case CONTRACT_TYPES.transfer:
      return {
        moves: [native({ from: owner, to: bytesOf(parameter, 2), amountRaw: intOf(parameter, 3) })],
      };
    case CONTRACT_TYPES.transferAsset:
      return {
        moves: [
          token(bytesOf(parameter, 1).toString('utf8'), {
            from: owner,
            to: bytesOf(parameter, 3),
            amountRaw: intOf(parameter, 4),
          }),
        ],
      };
    case CONTRACT_TYPES.assetIssue:
      return info.assetIssueID === undefined
        ? NOTHING
        : {
            moves: [
              token(info.assetIssueID, {
                to: owner,
                amountRaw: intOf(parameter, 4) - sumFrozen(parameter),
              }),
            ],
            isAttested: true,
          };
    case CONTRACT_TYPES.triggerSmartContract:
      return listCallMoves(owner, bytesOf(parameter, 2), {
        value: intOf(parameter, 3),
        tokenValue: intOf(parameter, 5),
        tokenId: intOf(parameter, 6),
      });
    case CONTRACT_TYPES.createSmartContract: {
      const fields = readFields(messageOf(parameter, 2));
      return listCallMoves(owner, created, {
        value: intOf(fields, 5),
        tokenValue: intOf(parameter, 3),
        tokenId: intOf(parameter, 4),
      });
    }
    default:
      return listStakeMoves(contract, info) ?? listTradeMoves(contract, info, lookups) ?? NOTHING;
  }
}

function listCallMoves(
  from: Buffer,
  to: Buffer,
  call: { readonly value: bigint; readonly tokenValue: bigint; readonly tokenId: bigint },
): Effects {
  const moves: Move[] = [native({ from, to, amountRaw: call.value })];
  if (call.tokenValue > 0n)
    moves.push(token(call.tokenId.toString(), { from, to, amountRaw: call.tokenValue }));
  return { moves };
}

function sumFrozen(parameter: Fields): bigint {
  const frozen = parameter.get(5) ?? [];
  return frozen.reduce(
    (sum: bigint, supply) => sum + (typeof supply === 'object' ? intOf(readFields(supply), 1) : 0n),
    0n,
  );
}

/**
 * What kinds of contracts about stakes and rewards pay and take, as java-tron's actuators do it, which is more than
 * their names say (github.com/tronprotocol/java-tron, actuator/src/main/java/org/tron/core/actuator):
 *
 * | Kind | Takes | Pays |
 * |---|---|---|
 * | FreezeBalance, FreezeBalanceV2 | `frozen_balance`, whoever receives the resource | |
 * | UnfreezeBalance | | `unfreeze_amount`: everything that is due, of one resource |
 * | UnfreezeBalanceV2 | | `withdraw_expire_amount`: earlier ones that are due; its own amount begins to wait |
 * | WithdrawExpireUnfreeze, CancelAllUnfreezeV2 | | `withdraw_expire_amount` |
 * | WithdrawBalance | | `withdraw_amount`: rewards |
 *
 * Votes, and unfreezing too, move rewards to the allowance, which is no balance. Delegations move nothing.
 * @returns undefined for other kinds
 */
function listStakeMoves({ type, parameter, owner }: Contract, info: TransactionInfo): Effects | undefined {
  switch (type) {
    case CONTRACT_TYPES.freezeBalance:
    case CONTRACT_TYPES.freezeBalanceV2:
      return { moves: [native({ from: owner, amountRaw: intOf(parameter, 2) })] };
    case CONTRACT_TYPES.unfreezeBalance:
      return payOut(owner, info.unfreeze_amount, true);
    case CONTRACT_TYPES.withdrawBalance:
      return payOut(owner, info.withdraw_amount, true);
    case CONTRACT_TYPES.withdrawExpireUnfreeze:
      return payOut(owner, info.withdraw_expire_amount, true);
    case CONTRACT_TYPES.unfreezeBalanceV2:
    case CONTRACT_TYPES.cancelAllUnfreezeV2:
      return payOut(owner, info.withdraw_expire_amount, false);
    default:
      return undefined;
  }
}

/**
 * @param isNeeded whether java-tron refuses the transaction where nothing is due. Then records without an amount were
 * written by a release from before there was one.
 */
function payOut(to: Buffer, amount: number | string | undefined, isNeeded: boolean): Effects {
  const amountRaw = BigInt(amount ?? 0);
  return {
    moves: [native({ to, amountRaw })],
    ...(isNeeded && amountRaw === 0n && { changes: [change(to, TRX_SYMBOL)] }),
    isAttested: true,
  };
}
