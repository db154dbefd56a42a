// SPDX-License-Identifier: Apache-2.0
import type { TronHandle } from '@chainwatch/tool-devnet/start-tron';
import { TronWallet, type TronAccount } from '@chainwatch/tool-devnet/tron';
import { encodeFunctionData, type Abi } from 'viem';
import { contracts, type ContractName } from '../../../devnet/evm/contracts.ts';
import type { ContractCall } from '../evm/chain-actor.ts';

/** What the actor made: contracts and a TRC-10 token. */
export interface Deployed {
  /** `41…` */
  readonly token: string;
  readonly rebasing: string;
  readonly feeToken: string;
  readonly forwarder: string;
  /** Id of a TRC-10 token. */
  readonly assetId: string;
}

/** Moves value on a TRON node that makes blocks on command. Addresses are `41…`. */
export class TronActor {
  readonly accounts: readonly TronAccount[];
  deployed!: Deployed;
  readonly #tron: TronHandle;
  readonly #wallet: TronWallet;
  readonly #addresses = new Map<ContractName, string>();

  constructor(tron: TronHandle) {
    this.#tron = tron;
    this.#wallet = new TronWallet(tron.url);
    this.accounts = tron.node.accounts;
  }

  async start(): Promise<void> {
    const [owner] = this.accounts;
    const issue = {
      name: hex('Pennies'),
      abbr: hex('PNY'),
      total_supply: 1_000_000_000n,
      trx_num: 1n,
      num: 1n,
      precision: 2n,
    };
    const { txid } = await this.#wallet.send(owner!, { name: 'AssetIssueContract', value: issue });
    await this.mine();
    const assetId = String(this.#infoOf(txid)['assetIssueID']);
    for (const account of this.accounts.slice(1))
      await this.#wallet.sendToken(owner!, { to: account.hexAddress, id: assetId, amount: 1_000_000n });
    await this.mine();
    this.deployed = {
      assetId,
      token: await this.deploy('TestToken'),
      rebasing: await this.deploy('RebasingToken'),
      feeToken: await this.deploy('FeeToken'),
      forwarder: await this.deploy('Forwarder'),
    };
  }

  async mine(blocks = 1): Promise<void> {
    await this.#tron.node.mine(blocks);
  }

  head(): number {
    return this.#tron.node.head.number;
  }

  sendTrx(
    from: TronAccount,
    { to, sun, data }: { readonly to: string; readonly sun: bigint; readonly data?: Uint8Array },
  ): Promise<unknown> {
    return this.#wallet.sendTrx(from, { to, sun, data });
  }

  sendToken(from: TronAccount, to: string, amount: bigint): Promise<unknown> {
    return this.#wallet.sendToken(from, { to, id: this.deployed.assetId, amount });
  }

  freeze(from: TronAccount, sun: bigint): Promise<unknown> {
    return this.#wallet.send(from, {
      name: 'FreezeBalanceV2Contract',
      value: { frozen_balance: sun, resource: 'ENERGY' },
    });
  }

  /** Address arguments are `41…` too. */
  call(
    from: TronAccount,
    {
      contract,
      name,
      args,
      options = {},
    }: ContractCall & { readonly options?: { sun?: bigint; feeLimit?: bigint } },
  ): Promise<unknown> {
    const data = encodeFunctionData({
      abi: contracts[contract].abi as Abi,
      functionName: name,
      args: args.map(toEvm),
    });
    return this.#wallet.trigger(from, {
      contract: this.#addresses.get(contract)!,
      data: data.slice(2),
      options,
    });
  }

  /** Replaces the last `depth` blocks by empty room: those of their transactions that `keep` says wait again. */
  async reorg(depth: number, keep: (txid: string) => boolean): Promise<void> {
    await this.#tron.node.reorg(depth, keep);
    // A node never goes below the height that it told.
    await this.mine(depth);
  }

  async deploy(name: ContractName): Promise<string> {
    const { txid } = await this.#wallet.deploy(this.accounts[0]!, contracts[name].bytecode.slice(2));
    await this.mine();
    const info = this.#infoOf(txid);
    if (info['result'] !== undefined)
      throw new Error(`expected ${name} to deploy, got ${JSON.stringify(info)}`);
    this.#addresses.set(name, String(info['contract_address']));
    return String(info['contract_address']);
  }

  #infoOf(txid: string): Readonly<Record<string, unknown>> {
    const found = this.#tron.node.findTransaction(txid)?.transaction;
    if (found === undefined || !('info' in found)) throw new Error(`expected transaction ${txid} in a block`);
    return found.info;
  }
}

/** `41…` as the virtual machine has it. */
function toEvm(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(toEvm);
  return typeof value === 'string' && /^41[0-9a-f]{40}$/.test(value) ? `0x${value.slice(2)}` : value;
}

const hex = (text: string): string => Buffer.from(text).toString('hex');
