// SPDX-License-Identifier: Apache-2.0
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { encodeFunctionData, type Hex } from 'viem';
import { contracts } from '../../../devnet/evm/contracts.ts';
import { EvmChain } from '../evm/evm-chain.ts';
import type { Project } from '../project.ts';
import type { Random } from '../random.ts';

const DAY_MS = 86_400_000;
const NATIVE = 'eip155:31337/slip44:60';

/**
 * anvil with two wrappers of its coin. The network's document names `wrapper` alone: deposits of `otherWrapper` are what a
 * decoder that is switched off does not tell. Blocks are dated yesterday, because bursts of them run ahead of the clock and a
 * statement ends in the past.
 */
export class WrappingChain extends EvmChain {
  wrapper!: Hex;
  otherWrapper!: Hex;
  #folder: string | undefined;

  constructor() {
    super({ behindMs: DAY_MS });
  }

  get env(): Readonly<Record<string, string>> {
    return { NETWORKS_FILE: join(this.#folder!, 'networks.json') };
  }

  override async start(): Promise<void> {
    await super.start();
    this.wrapper = await this.actor.deploy('WrappedCoin');
    this.otherWrapper = await this.actor.deploy('WrappedCoin');
    this.#folder = mkdtempSync(join(tmpdir(), 'statements-'));
    const network = {
      ...{ gid: this.gid, family: this.family, name: 'anvil', short_name: 'anvil', display_name: 'Anvil' },
      ...{ is_testnet: true, is_local: true, token_namespace: 'erc20', block_time_ms: 1_000 },
      native: { gid: NATIVE, symbol: 'ETH', name: 'Ether', decimals: 18 },
      confirmation: { type: 'tag', tag: 'finalized', depth: 3 },
      traits: { stack: 'ethereum', impersonation: true, multicall3: false },
      wrapped_native: this.wrapper.toLowerCase(),
    };
    writeFileSync(join(this.#folder, 'networks.json'), JSON.stringify([network]));
  }

  override async stop(): Promise<void> {
    await super.stop();
    if (this.#folder !== undefined) rmSync(this.#folder, { recursive: true, force: true });
  }

  override async prepare(project: Project): Promise<void> {
    await super.prepare(project);
    for (const contract of [this.wrapper, this.otherWrapper])
      await project.listToken(`${this.gid}/erc20:${contract}`);
  }

  /** A deposit, a withdrawal, or a transfer at one of the wrappers; it waits for a block, and may fail in it. */
  async wrap(random: Random, from: Hex, to: Hex): Promise<void> {
    const wrapper = random.pick([this.wrapper, this.otherWrapper]);
    const amount = BigInt(random.int(1, 1_000_000)) * 10n ** 9n;
    const kind = random.pick(['deposit', 'deposit', 'withdraw', 'transfer'] as const);
    const args = { deposit: [], withdraw: [amount / 3n], transfer: [to, amount / 3n] }[kind];
    const data = encodeFunctionData({ abi: contracts.WrappedCoin.abi, functionName: kind, args });
    const value = `0x${(kind === 'deposit' ? amount : 0n).toString(16)}`;
    await this.rpc('eth_sendTransaction', [{ from, to: wrapper, data, value, gas: '0x7a120' }]);
  }
}
