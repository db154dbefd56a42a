// SPDX-License-Identifier: Apache-2.0
import { keccak_256 } from '@noble/hashes/sha3.js';
import type { AnvilVm, CallFrame, VmResult } from './anvil-vm.ts';
import type { ContractCall } from './contract-schema.ts';
import type { Ledger } from './ledger.ts';

/** Sun. */
const ENERGY_PRICE = 100n;
const BANDWIDTH_PRICE = 1_000n;
const NEW_ACCOUNT_FEE = 1_100_000n;
const CODE_ENERGY_PER_BYTE = 200;

export interface Execution {
  readonly vm: AnvilVm;
  readonly ledger: Ledger;
  readonly txid: string;
  readonly call: ContractCall;
  /** Of the transaction in its block. */
  readonly bytes: number;
  readonly feeLimit: bigint;
  readonly block: { readonly number: number; readonly timestampMs: number };
}

/** What became of a transaction: its result in the block, and its record. */
export interface Outcome {
  readonly contractRet: string;
  readonly info: Readonly<Record<string, unknown>>;
}

/** A transaction that java-tron would refuse (`CONTRACT_VALIDATE_ERROR`). */
export class RefusedError extends Error {}

/** Runs one transaction: moves what it moves, burns its fee. @throws RefusedError when it may not stand in a block */
export async function executeTransaction(execution: Execution): Promise<Outcome> {
  const { vm, ledger, txid, call, bytes, block } = execution;
  const owner = String(call.value['owner_address']);
  if (!ledger.hasAccount(owner)) throw new RefusedError(`Validate ${call.name} error, no OwnerAccount.`);
  const effect = await run(execution, owner);
  const isFree = ledger.useBandwidth(owner, bytes, block.timestampMs);
  const netFee = isFree ? 0n : BigInt(bytes) * BANDWIDTH_PRICE;
  const energyFee = BigInt(effect.energy ?? 0) * ENERGY_PRICE;
  const balance = await vm.readBalance(owner);
  const fee = min(netFee + energyFee + (effect.fee ?? 0n), balance);
  if (fee > 0n) await vm.setBalance(owner, balance - fee);
  const { contractRet = 'SUCCESS' } = effect;
  const isCall = effect.energy !== undefined;
  return {
    contractRet,
    info: {
      id: txid,
      ...(fee > 0n && { fee: Number(fee) }),
      blockNumber: block.number,
      blockTimeStamp: block.timestampMs,
      contractResult: [effect.output ?? ''],
      ...(effect.contract !== undefined && { contract_address: effect.contract }),
      receipt: {
        ...(energyFee > 0n && { energy_fee: Number(energyFee) }),
        ...((effect.energy ?? 0) > 0 && { energy_usage_total: effect.energy }),
        ...(isFree ? { net_usage: bytes } : { net_fee: Number(netFee) }),
        ...(isCall && { result: contractRet }),
      },
      ...(contractRet !== 'SUCCESS' && {
        result: 'FAILED',
        resMessage: Buffer.from(contractRet).toString('hex'),
      }),
      ...(effect.assetIssueID !== undefined && { assetIssueID: effect.assetIssueID }),
      ...(effect.logs !== undefined && effect.logs.length > 0 && { log: effect.logs }),
      ...(effect.internal !== undefined &&
        effect.internal.length > 0 && { internal_transactions: effect.internal }),
    },
  };
}

interface Effect {
  readonly contractRet?: string;
  /** Present for calls of contracts. */
  readonly energy?: number;
  readonly fee?: bigint;
  readonly output?: string;
  readonly contract?: string;
  readonly assetIssueID?: string;
  readonly logs?: readonly object[];
  readonly internal?: readonly object[];
}

async function run(execution: Execution, owner: string): Promise<Effect> {
  const {
    vm,
    ledger,
    call: { name, value },
  } = execution;
  const amount = BigInt(Number(value['amount'] ?? 0));
  const to = String(value['to_address']);
  switch (name) {
    case 'AccountCreateContract':
      ledger.openAccount(String(value['account_address']));
      return { fee: NEW_ACCOUNT_FEE };
    case 'TransferContract': {
      if (owner === to) throw new RefusedError('Cannot transfer TRX to yourself.');
      await spend(vm, owner, amount);
      await vm.addBalance(to, amount);
      return ledger.openAccount(to) ? { fee: NEW_ACCOUNT_FEE } : {};
    }
    case 'TransferAssetContract': {
      if (owner === to) throw new RefusedError('Cannot transfer asset to yourself.');
      const id = Buffer.from(String(value['asset_name']), 'hex').toString();
      moveToken(ledger, { id, from: owner, to, amount });
      return ledger.openAccount(to) ? { fee: NEW_ACCOUNT_FEE } : {};
    }
    case 'AssetIssueContract': {
      const id = ledger.issueAsset(owner, value);
      ledger.addToken(owner, id, BigInt(Number(value['total_supply'])));
      return { assetIssueID: id, fee: 1_024_000_000n };
    }
    case 'FreezeBalanceV2Contract':
      await spend(vm, owner, BigInt(Number(value['frozen_balance'])));
      ledger.freeze(owner, BigInt(Number(value['frozen_balance'])));
      return {};
    case 'DelegateResourceContract':
      if (ledger.frozen(owner) < BigInt(Number(value['balance'])))
        throw new RefusedError(
          'delegateBalance must be less than or equal to available FreezeEnergyV2 balance',
        );
      return {};
    default:
      return runContract(execution, owner);
  }
}

async function runContract(execution: Execution, owner: string): Promise<Effect> {
  const {
    vm,
    ledger,
    txid,
    call: { name, value },
    feeLimit,
  } = execution;
  const isCreation = name === 'CreateSmartContract';
  const created = value['new_contract'] as { bytecode: string; call_value?: number } | undefined;
  const contract = isCreation ? deriveContract(txid, owner) : String(value['contract_address']);
  const callValue = BigInt(
    (isCreation ? created?.call_value : (value['call_value'] as number | undefined)) ?? 0,
  );
  const balance = await vm.readBalance(owner);
  if (balance < callValue)
    throw new RefusedError('Validate InternalTransfer error, balance is not sufficient.');
  if (!isCreation && (await vm.readCode(contract)) === '0x')
    throw new RefusedError('No contract or not a smart contract');
  const energyLimit = Number(min(feeLimit, balance - callValue) / ENERGY_PRICE);
  // A constructor runs as what it is: its own code, at the address it makes; what it returns becomes the code.
  if (isCreation) await vm.setCode(contract, `0x${created!.bytecode}`);
  const result = await vm.run({
    from: owner,
    to: contract,
    data: isCreation ? '' : String(value['data'] ?? ''),
    value: callValue,
    energyLimit,
  });
  if (isCreation) await vm.setCode(contract, result.isFailed ? '0x' : result.output);
  if (!result.isFailed) ledger.openAccount(contract);
  const tokenValue = BigInt(Number(value['call_token_value'] ?? 0));
  if (!result.isFailed && tokenValue > 0n)
    moveToken(ledger, { id: String(value['token_id']), from: owner, to: contract, amount: tokenValue });
  return {
    contractRet: result.isFailed ? (result.isOutOfGas ? 'OUT_OF_ENERGY' : 'REVERT') : 'SUCCESS',
    energy:
      result.energy +
      (isCreation && !result.isFailed ? ((result.output.length - 2) / 2) * CODE_ENERGY_PER_BYTE : 0),
    output: isCreation ? '' : result.output.slice(2),
    contract,
    logs: result.logs.map(toLog),
    internal: listInternal(txid, result),
  };
}

async function spend(vm: AnvilVm, owner: string, amount: bigint): Promise<void> {
  const balance = await vm.readBalance(owner);
  if (amount <= 0n || balance < amount)
    throw new RefusedError('Validate TransferContract error, balance is not sufficient.');
  await vm.setBalance(owner, balance - amount);
}

function moveToken(
  ledger: Ledger,
  {
    id,
    from,
    to,
    amount,
  }: { readonly id: string; readonly from: string; readonly to: string; readonly amount: bigint },
): void {
  if (ledger.findAsset(id) === undefined) throw new RefusedError('No asset!');
  if (amount <= 0n || ledger.tokenBalance(from, id) < amount)
    throw new RefusedError('assetBalance is not sufficient.');
  ledger.addToken(from, id, -amount);
  ledger.addToken(to, id, amount);
}

function toLog({ address, topics, data }: VmResult['logs'][number]): object {
  return {
    address: address.slice(2).toLowerCase(),
    topics: topics.map((topic) => topic.slice(2)),
    ...(data !== '0x' && { data: data.slice(2) }),
  };
}

/** Calls below the top one, as java-tron records them: also those without value, and those that were undone. */
function listInternal(txid: string, { frame, isFailed }: VmResult): object[] {
  const listed: object[] = [];
  const visit = (parent: CallFrame, isUndone: boolean): void => {
    for (const call of parent.calls ?? []) {
      const isRejected = isUndone || call.error !== undefined;
      const value = Number(BigInt(call.value ?? '0x0'));
      const note = call.type.startsWith('CREATE')
        ? 'create'
        : call.type === 'SELFDESTRUCT'
          ? 'suicide'
          : 'call';
      const isStateless = call.type === 'DELEGATECALL' || call.type === 'CALLCODE';
      listed.push({
        hash: Buffer.from(keccak_256(Buffer.from(`${txid}${listed.length}`))).toString('hex'),
        caller_address: `41${call.from.slice(2).toLowerCase()}`,
        transferTo_address: `41${(isStateless ? call.from : (call.to ?? '0x')).slice(2).toLowerCase()}`,
        callValueInfo: [value > 0 ? { callValue: value } : {}],
        note: Buffer.from(note).toString('hex'),
        ...(isRejected && { rejected: true }),
      });
      visit(call, isRejected);
    }
  };
  visit(frame, isFailed);
  return listed;
}

/** Java-tron, generateContractAddress. */
function deriveContract(txid: string, owner: string): string {
  return `41${Buffer.from(keccak_256(Buffer.from(txid + owner, 'hex')).subarray(12)).toString('hex')}`;
}

const min = (one: bigint, other: bigint): bigint => (one < other ? one : other);
