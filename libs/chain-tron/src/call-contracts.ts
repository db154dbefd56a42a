// SPDX-License-Identifier: Apache-2.0
import { ChainClientError, unwrap, type RpcAnswer } from '@chainwatch/chain-core';
import type { EvmSession } from './read-evm-headers.ts';
import { hasEvm } from './read-headers.ts';
import type { WalletSession } from './read-wallet-headers.ts';
import type { Session } from './session.ts';

/** A view call: the contract and the call data, `0x` both. */
export interface ContractCall {
  readonly to: string;
  readonly data: string;
}

/** The caller is nobody: the black hole's address. */
const caller = `41${'0'.repeat(40)}`;
/** The contract failed, or there is none (java-tron's answers to calls). Any other code is a fault of the node. */
const EXECUTION_CODES = new Set([-32000, -32600, 3]);
const NODE_TROUBLE = /computing resources|timeout|time out|too many|busy|limit/i;

/** Results of view calls at the node's head, `0x…`; undefined where the contract does not answer. @throws ChainClientError */
export async function callContracts(
  session: Session,
  calls: readonly ContractCall[],
  signal?: AbortSignal,
): Promise<(string | undefined)[]> {
  if (hasEvm(session)) return callByEvm(session, calls, signal);
  return Promise.all(calls.map((call) => callByWallet(session as WalletSession, call, signal)));
}

async function callByEvm(
  { evm }: EvmSession,
  calls: readonly ContractCall[],
  signal?: AbortSignal,
): Promise<(string | undefined)[]> {
  return (
    await evm.callMany(
      calls.map((call) => ({ method: 'eth_call', params: [call, 'latest'] })),
      signal,
    )
  ).map(readAnswer);
}

function readAnswer(answer: RpcAnswer): string | undefined {
  if (
    answer.type === 'error' &&
    EXECUTION_CODES.has(answer.error.nodeCode ?? 0) &&
    !NODE_TROUBLE.test(answer.error.message)
  )
    return undefined;
  const result = unwrap(answer);
  return typeof result === 'string' ? result : undefined;
}

interface ConstantResult {
  readonly result?: { readonly result?: boolean; readonly code?: string; readonly message?: string };
  readonly constant_result?: readonly string[];
}

async function callByWallet(
  { wallet }: WalletSession,
  { to, data }: ContractCall,
  signal?: AbortSignal,
): Promise<string | undefined> {
  const body = { owner_address: caller, contract_address: `41${to.slice(2)}`, data: data.slice(2) };
  const { result, constant_result: results } = (await wallet.call(
    'wallet/triggerconstantcontract',
    body,
    signal,
  )) as ConstantResult;
  if (result?.result === true) return `0x${results?.[0] ?? ''}`;
  // There is no contract, or the call cannot be made.
  if (result?.code === 'CONTRACT_VALIDATE_ERROR' || result?.code === 'CONTRACT_EXE_ERROR') return undefined;
  throw new ChainClientError(`triggerconstantcontract: expected a result, got ${result?.code ?? 'none'}`, {
    publicMessage: 'the node did not run a call of a contract',
  });
}
