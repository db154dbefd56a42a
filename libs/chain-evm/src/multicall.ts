// SPDX-License-Identifier: Apache-2.0
import { decodeFunctionResult, encodeFunctionData, parseAbi } from 'viem/utils';
import type { Hex } from 'viem';

/** Same address on every chain that has it (github.com/mds1/multicall). */
export const MULTICALL3_ADDRESS = '0xca11bde05977b3631167028862be2a173976ca11';

const abi = parseAbi([
  'struct Call3 { address target; bool allowFailure; bytes callData; }',
  'struct Result { bool success; bytes returnData; }',
  'function aggregate3(Call3[] calls) payable returns (Result[] returnData)',
  'function getEthBalance(address addr) view returns (uint256 balance)',
]);

export interface ContractCall {
  readonly to: string;
  readonly data: string;
}

/** Call data that tells the native balance of an account. */
export function encodeGetEthBalance(address: string): string {
  return encodeFunctionData({ abi, functionName: 'getEthBalance', args: [address as Hex] });
}

/** Call data of all calls, each allowed to fail. */
export function encodeAggregate(calls: readonly ContractCall[]): string {
  const args = calls.map(({ to, data }) => ({
    target: to as Hex,
    allowFailure: true,
    callData: data as Hex,
  }));
  return encodeFunctionData({ abi, functionName: 'aggregate3', args: [args] });
}

/** Return data of each call, undefined for one that failed; undefined as a whole when `result` is not such an answer. */
export function decodeAggregate(result: string, count: number): (string | undefined)[] | undefined {
  try {
    const results = decodeFunctionResult({ abi, functionName: 'aggregate3', data: result as Hex });
    if (results.length !== count) return undefined;
    return results.map(({ success, returnData }) => (success ? returnData : undefined));
  } catch {
    return undefined;
  }
}
