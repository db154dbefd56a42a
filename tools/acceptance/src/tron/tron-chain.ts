// SPDX-License-Identifier: Apache-2.0
import { startTron, type TronHandle, type TronOptions } from '@chainwatch/tool-devnet/start-tron';
import { TronWeb } from 'tronweb';
import { findPastFaults, toRaw, waitForBlock } from '../compare.ts';
import type { Project } from '../project.ts';
import type { ExpectedTransaction, PayingChain, Watched } from '../test-chain.ts';
import { expectTransactions, findUntold, toBase58, type Interfaces } from './expect-transactions.ts';
import { TronActor } from './tron-actor.ts';

/** After so many what nothing explains is read again, because nodes of TRON tell what waits for a block. */
const SECOND_READING_BLOCKS = 40;

/** The local TRON node, which makes blocks on command, by both its interfaces or the Ethereum-compatible one alone. */
export class TronChain implements PayingChain {
  readonly gid = 'tron:0x7a69';
  readonly family = 'tron';
  readonly ingestor = 'block-ingestor-tron';
  readonly failure = 'outcome';
  readonly hasHistory = true;
  tron!: TronHandle;
  actor!: TronActor;

  readonly #interfaces: Interfaces;
  readonly #options: TronOptions;

  constructor(interfaces: Interfaces = 'both', options: TronOptions = {}) {
    this.#options = options;
    this.#interfaces = interfaces;
  }

  get url(): string {
    return this.tron.url;
  }

  describeEndpoint(url: string): object {
    return { ...(this.#interfaces === 'both' && { endpoint_url: url }), evm_endpoint_url: `${url}/jsonrpc` };
  }

  async start(): Promise<void> {
    this.tron = await startTron(this.#options);
    this.actor = new TronActor(this.tron);
    await this.actor.start();
  }

  async stop(): Promise<void> {
    await this.tron?.stop();
  }

  /** On the list of the project, so that an import finds what an address held before. */
  async prepare(project: Project): Promise<void> {
    for (const path of this.#tokens().map(({ path }) => path)) await project.listToken(`${this.gid}/${path}`);
  }

  readHead(): Promise<{ number: number; hash: string }> {
    const { number, id } = this.tron.node.head;
    return Promise.resolve({ number, hash: id });
  }

  get payee(): string {
    return toBase58(this.actor.accounts[1]!.hexAddress);
  }

  async payPayee(): Promise<void> {
    const { accounts } = this.actor;
    const to = accounts[1]!.hexAddress;
    await this.actor.sendTrx(accounts[0]!, { to, sun: 7n });
    await this.actor.call(accounts[0]!, { contract: 'TestToken', name: 'mint', args: [to, 7n] });
  }

  mine(blocks = 1): Promise<void> {
    return this.actor.mine(blocks);
  }

  async finalize(): Promise<void> {
    await this.actor.mine(Math.max(this.tron.node.solidifiedLag, SECOND_READING_BLOCKS) + 1);
  }

  expectTransactions(
    watched: ReadonlyMap<string, number>,
    from: number,
  ): Promise<Map<string, ExpectedTransaction>> {
    return Promise.resolve(
      expectTransactions(this.tron.node, { chainGid: this.gid, watched, from, interfaces: this.#interfaces }),
    );
  }

  async findBalanceFaults(project: Project, watched: readonly Watched[]): Promise<string[]> {
    const faults: string[] = [];
    const { vm, ledger } = this.tron.node;
    const untold = findUntold(this.tron.node, 0, this.#interfaces);
    for (const { address } of watched) {
      const balances = await project.get<Record<string, string>>(`/addresses/${address}/balances`);
      const hex = TronWeb.address.toHex(address);
      const compare = (path: string, held: bigint, decimals: number): void => {
        const got = balances[`${this.gid}/${path}`];
        // An asset that was never discovered on the address has no entry; then the chain must say zero.
        if ((toRaw(got, decimals) ?? 0n) !== held)
          faults.push(`${address}: expected ${held} of ${path}, got ${got}`);
      };
      if (!untold.has(address)) compare('slip44:1', await vm.readBalance(hex), 6);
      for (const { path, contract } of this.#tokens()) {
        if (contract === undefined) compare(path, ledger.tokenBalance(hex, this.actor.deployed.assetId), 2);
        else
          compare(
            path,
            await this.#call(contract, `70a08231${hex.slice(2).padStart(64, '0')}`),
            Number(await this.#call(contract, '313ce567')),
          );
      }
    }
    return [...faults, ...(await this.#findPastFaults(project, watched))];
  }

  async #findPastFaults(project: Project, watched: readonly Watched[]): Promise<string[]> {
    const [first] = watched;
    if (first === undefined) return [];
    await this.mine();
    const { vm, head } = this.tron.node;
    await waitForBlock(project, this.gid, { address: first.address, block: head.number });
    const { assetId, token } = this.actor.deployed;
    const decimals = Number(await this.#call(token, '313ce567'));
    return findPastFaults({
      ...{ project, gid: this.gid, watched, head: head.number },
      compare: async (address, block, balances) => {
        const state = this.tron.node.stateAt(block);
        if (state === undefined) return [];
        const faults: string[] = [];
        const compare = (asset: string, held: bigint, scale: number): void => {
          const got = balances[`${this.gid}/${asset}`];
          if ((toRaw(got, scale) ?? 0n) !== held)
            faults.push(`${address} at ${block}: expected ${held} of ${asset}, got ${got}`);
        };
        const hex = TronWeb.address.toHex(address);
        compare('slip44:1', await vm.readBalance(hex, state.vm), 6);
        if (this.#interfaces === 'both')
          compare(`trc10:${assetId}`, state.ledger.tokenBalance(hex, assetId), 2);
        const data = `70a08231${hex.slice(2).padStart(64, '0')}`;
        compare(`trc20:${toBase58(token)}`, await this.#call(token, data, state.vm), decimals);
        return faults;
      },
    });
  }

  #tokens(): { path: string; contract?: string }[] {
    const { assetId, token, rebasing, feeToken } = this.actor.deployed;
    return [
      ...(this.#interfaces === 'both' ? [{ path: `trc10:${assetId}` }] : []),
      ...[token, rebasing, feeToken].map((contract) => ({ path: `trc20:${toBase58(contract)}`, contract })),
    ];
  }

  async #call(contract: string, data: string, at?: string): Promise<bigint> {
    const result = await this.tron.node.vm.view(contract, { data, from: contract, at });
    if ('error' in result) throw new Error(result.error);
    // Before the contract was there the answer is empty.
    return BigInt(result.output === '0x' ? 0 : result.output);
  }
}
