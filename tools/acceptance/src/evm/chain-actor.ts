// SPDX-License-Identifier: Apache-2.0
import {
  createPublicClient,
  encodeDeployData,
  encodeFunctionData,
  http,
  type Abi,
  type Hex,
  type PublicClient,
} from 'viem';
import { contracts, type ContractName } from '../../../devnet/evm/contracts.ts';

/** A JSON-RPC call to the node. */
export type NodeRpc = <T>(method: string, params: readonly unknown[]) => Promise<T>;

/** What the actor deployed: every kind of contract that makes transfers hard to follow. */
export interface Deployed {
  readonly token: Hex;
  readonly rebasing: Hex;
  readonly feeToken: Hex;
  readonly forwarder: Hex;
}

/** A call of one that it deployed. */
export interface ContractCall {
  readonly contract: ContractName;
  readonly name: string;
  readonly args: readonly unknown[];
}

/**
 * Moves value on an anvil node that mines on command (`--no-mining`), with the node's own unlocked accounts, so that
 * nonces are the node's business also after a reorg.
 */
export class ChainActor {
  readonly #rpc: NodeRpc;
  readonly #url: string;
  accounts: Hex[] = [];
  deployed!: Deployed;
  readonly #addresses = new Map<ContractName, Hex>();

  constructor(rpc: NodeRpc, url: string) {
    this.#rpc = rpc;
    this.#url = url;
  }

  async start(): Promise<void> {
    this.accounts = await this.#rpc<Hex[]>('eth_accounts', []);
    this.deployed = {
      token: await this.deploy('TestToken'),
      rebasing: await this.deploy('RebasingToken'),
      feeToken: await this.deploy('FeeToken'),
      forwarder: await this.deploy('Forwarder'),
    };
  }

  async mine(blocks = 1): Promise<void> {
    await this.#rpc('anvil_mine', [`0x${blocks.toString(16)}`]);
  }

  async head(): Promise<number> {
    return Number(await this.#rpc<Hex>('eth_blockNumber', []));
  }

  async sendEther(from: Hex, to: Hex, wei: bigint): Promise<Hex> {
    return this.#rpc<Hex>('eth_sendTransaction', [{ from, to, value: `0x${wei.toString(16)}` }]);
  }

  async call(
    from: Hex,
    { contract, name, args, wei = 0n }: ContractCall & { readonly wei?: bigint },
  ): Promise<Hex> {
    const data = encodeFunctionData({ abi: contracts[contract].abi as Abi, functionName: name, args });
    const to = this.#addresses.get(contract);
    return this.#rpc<Hex>('eth_sendTransaction', [
      { from, to, data, value: `0x${wei.toString(16)}`, gas: '0x7a120' },
    ]);
  }

  /** Replaces the last `depth` blocks; `keep` of the dropped transactions (in order) wait to be mined again. */
  async reorg(depth: number, keep: (hash: Hex) => boolean): Promise<void> {
    const head = await this.head();
    const dropped: Hex[] = [];
    for (let number = head - depth + 1; number <= head; number += 1) {
      const block = await this.#rpc<{ transactions: Hex[] }>('eth_getBlockByNumber', [
        `0x${number.toString(16)}`,
        false,
      ]);
      for (const hash of block.transactions)
        dropped.push(await this.#rpc<Hex>('eth_getRawTransactionByHash', [hash]).then((raw) => raw));
    }
    await this.#rpc('anvil_reorg', [depth, []]);
    // A kept transaction behind a dropped one of the same sender waits for its nonce: the node refuses or queues it, both are fine.
    for (const raw of dropped)
      if (keep(raw)) await this.#rpc('eth_sendRawTransaction', [raw]).catch(() => undefined);
  }

  client(): PublicClient {
    return createPublicClient({ transport: http(this.#url) });
  }

  /** @returns where it is */
  async deploy(name: ContractName): Promise<Hex> {
    const { abi, bytecode } = contracts[name];
    const data = encodeDeployData({ abi: abi as Abi, bytecode, args: [] });
    const hash = await this.#rpc<Hex>('eth_sendTransaction', [
      { from: this.accounts[0], data, gas: '0x2dc6c0' },
    ]);
    await this.mine();
    const receipt = await this.#rpc<{ contractAddress: Hex; status: Hex } | null>(
      'eth_getTransactionReceipt',
      [hash],
    );
    if (receipt?.status !== '0x1')
      throw new Error(`expected ${name} to deploy, got ${JSON.stringify(receipt)}`);
    this.#addresses.set(name, receipt.contractAddress);
    return receipt.contractAddress;
  }
}
