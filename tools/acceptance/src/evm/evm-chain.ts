// SPDX-License-Identifier: Apache-2.0
import { startAnvil } from '@chainwatch/testing';
import type { Hex } from 'viem';
import { findPastFaults, toRaw } from '../compare.ts';
import type { Project } from '../project.ts';
import type { ExpectedTransaction, PayingChain, Watched } from '../test-chain.ts';
import { ChainActor, type NodeRpc } from './chain-actor.ts';
import { expectTransactions } from './expect-transactions.ts';
import { UntracedNode } from './lying-evm-node.ts';

/** States stay in memory: anvil 1.7.1 forgets the code of contracts when it reorganizes to a state that it moved to disk. */
const ANVIL_ARGS = ['--no-mining', '--order', 'fifo', '--prune-history', '100000'];
/** Final is what two epochs lie upon. */
const FINALIZING_EPOCHS = 2;

interface EvmChainOptions {
  /** How soon blocks become final: reorgs that are to stay above finality reach less than two epochs deep. */
  readonly epochBlocks?: number;
  /** False: the service gets no traces, and nobody pays out of a contract. */
  readonly isTraced?: boolean;
  /** Blocks are dated so much before the clock: bursts of them run ahead of it. Default 0. */
  readonly behindMs?: number;
  /** Of anvil, beside those that mining on command needs. */
  readonly args?: readonly string[];
}

/** anvil, which mines on command. */
export class EvmChain implements PayingChain {
  readonly gid = 'eip155:31337';
  readonly family = 'evm';
  readonly ingestor = 'block-ingestor-evm';
  readonly failure = 'outcome';
  readonly hasHistory = true;
  readonly isTraced: boolean;
  readonly #epochBlocks: number;
  readonly #args: readonly string[];
  #untraced: UntracedNode | undefined;
  anvil!: Awaited<ReturnType<typeof startAnvil>>;
  actor!: ChainActor;

  constructor({ epochBlocks = 32, isTraced = true, behindMs = 0, args = [] }: EvmChainOptions = {}) {
    const time = ['--timestamp', String(Math.floor((Date.now() - behindMs) / 1_000))];
    this.#args = [...args, ...(behindMs === 0 ? [] : time)];
    this.#epochBlocks = epochBlocks;
    this.isTraced = isTraced;
  }

  get url(): string {
    return this.#untraced?.url ?? this.anvil.url;
  }

  get rpc(): NodeRpc {
    return this.anvil.rpc;
  }

  async start(): Promise<void> {
    this.anvil = await startAnvil({
      args: [...ANVIL_ARGS, ...this.#args, '--slots-in-an-epoch', String(this.#epochBlocks)],
    });
    if (!this.isTraced) {
      this.#untraced = new UntracedNode(this.anvil.url);
      await this.#untraced.start();
    }
    this.actor = new ChainActor(this.rpc, this.anvil.url);
    await this.actor.start();
  }

  async stop(): Promise<void> {
    await this.#untraced?.stop();
    await this.anvil?.stop();
  }

  /** On the list of the project, so that an import finds what an address held before. */
  async prepare(project: Project): Promise<void> {
    const { token, rebasing, feeToken } = this.actor.deployed;
    for (const contract of [token, rebasing, feeToken])
      await project.listToken(`${this.gid}/erc20:${contract}`);
  }

  async readHead(): Promise<{ number: number; hash: string }> {
    const { number, hash } = await this.rpc<{ number: Hex; hash: Hex }>('eth_getBlockByNumber', [
      'latest',
      false,
    ]);
    return { number: Number(number), hash };
  }

  async timeOf(block: number): Promise<Date> {
    const { timestamp } = await this.rpc<{ readonly timestamp: Hex }>('eth_getBlockByNumber', [
      `0x${block.toString(16)}`,
      false,
    ]);
    return new Date(Number(timestamp) * 1_000);
  }

  get payee(): string {
    return this.actor.accounts[1]!;
  }

  async payPayee(): Promise<void> {
    const [from, to] = this.actor.accounts;
    await this.actor.sendEther(from!, to!, 7n);
    await this.actor.call(from!, { contract: 'TestToken', name: 'mint', args: [to, 7n] });
    if (this.isTraced)
      await this.actor.call(from!, { contract: 'Forwarder', name: 'forward', args: [to], wei: 7n });
  }

  mine(blocks = 1): Promise<void> {
    return this.actor.mine(blocks);
  }

  finalize(): Promise<void> {
    return this.actor.mine(FINALIZING_EPOCHS * this.#epochBlocks + 6);
  }

  async expectTransactions(
    watched: ReadonlyMap<string, number>,
    from: number,
  ): Promise<Map<string, ExpectedTransaction>> {
    const first = new Map([...watched].map(([address, block]) => [address.toLowerCase(), block]));
    return expectTransactions(this.rpc, {
      chainGid: this.gid,
      watched: first,
      from,
      to: await this.actor.head(),
    });
  }

  async findBalanceFaults(project: Project, watched: readonly Watched[]): Promise<string[]> {
    const faults: string[] = [];
    const { token, rebasing, feeToken } = this.actor.deployed;
    for (const { address } of watched) {
      const balances = await project.get<Record<string, string>>(`/addresses/${address}/balances`);
      const native = BigInt(await this.rpc<Hex>('eth_getBalance', [address, 'latest']));
      if (toRaw(balances[`${this.gid}/slip44:60`], 18) !== native)
        faults.push(`${address}: expected ${native} wei, got ${balances[`${this.gid}/slip44:60`]}`);
      for (const contract of [token, rebasing, feeToken]) {
        const data = `0x70a08231${address.slice(2).padStart(64, '0')}`;
        const held = BigInt(await this.rpc<Hex>('eth_call', [{ to: contract, data }, 'latest']));
        const decimals = Number(
          await this.rpc<Hex>('eth_call', [{ to: contract, data: '0x313ce567' }, 'latest']),
        );
        const got = balances[`${this.gid}/erc20:${contract.toLowerCase()}`];
        // An asset that was never discovered on the address has no entry; then the chain must say zero.
        if ((toRaw(got, decimals) ?? 0n) !== held)
          faults.push(`${address}: expected ${held} of ${contract}, got ${got}`);
      }
    }
    return [...faults, ...(await this.#findPastFaults(project, watched))];
  }

  async #findPastFaults(project: Project, watched: readonly Watched[]): Promise<string[]> {
    const { token } = this.actor.deployed;
    const decimals = Number(await this.rpc<Hex>('eth_call', [{ to: token, data: '0x313ce567' }, 'latest']));
    return findPastFaults({
      ...{ project, gid: this.gid, watched, head: await this.actor.head() },
      compare: async (address, block, balances) => {
        const faults: string[] = [];
        const tag = `0x${block.toString(16)}`;
        const ether = BigInt(await this.rpc<Hex>('eth_getBalance', [address, tag]));
        const gotEther = toRaw(balances[`${this.gid}/slip44:60`], 18) ?? 0n;
        if (gotEther !== ether) faults.push(`${address} at ${block}: expected ${ether} wei, got ${gotEther}`);
        const data = `0x70a08231${address.slice(2).padStart(64, '0')}`;
        const held = await this.rpc<Hex>('eth_call', [{ to: token, data }, tag]);
        const got = balances[`${this.gid}/erc20:${token.toLowerCase()}`];
        // Before the contract was there the answer is empty.
        if ((toRaw(got, decimals) ?? 0n) !== BigInt(held === '0x' ? 0 : held))
          faults.push(`${address} at ${block}: expected ${held} of ${token}, got ${got}`);
        return faults;
      },
    });
  }
}
