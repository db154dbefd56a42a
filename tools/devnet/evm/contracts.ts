// SPDX-License-Identifier: Apache-2.0
/**
 * The contracts of the local EVM chain, compiled: each makes transfers hard to follow in its own way. Used by the demo,
 * the acceptance tests and the benches. Sources stand in contracts/, `node tools/devnet/evm/compile.mjs` compiles them.
 *
 * @example
 * await wallet.deployContract({ ...contracts.TestToken });
 */
import type { Abi, Hex } from 'viem';
import artifacts from './artifacts.json' with { type: 'json' };

export type ContractName = keyof typeof artifacts;

export interface Contract {
  readonly abi: Abi;
  /** Creation code; no constructor takes arguments. */
  readonly bytecode: Hex;
}

export const contracts = artifacts as unknown as Readonly<Record<ContractName, Contract>>;
