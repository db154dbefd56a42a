// SPDX-License-Identifier: Apache-2.0
import { encodeFunctionData, getContractAddress, type Abi, type Hex } from 'viem';
import { contracts } from '../../../devnet/evm/contracts.ts';
import type { EvmChain } from '../evm/evm-chain.ts';
import type { Random } from '../random.ts';
import { HostileAnswers, VIEWS } from './hostile-answers.ts';
import type { HostileAnswer } from './hostile-values.ts';

/** Of a token that is made, and of one that moves: a block takes twenty of each. */
const GAS = '0x5b8d80';
const MOVE_GAS = '0xf4240';

/** Makes tokens on an EVM node that are as bad as can be, and moves them. */
export class HostileEvm {
  readonly #chain: EvmChain;
  readonly #answers: HostileAnswers;
  #factory!: Hex;
  /** Contracts have nonces from 1 on. */
  #made = 0;

  constructor(chain: EvmChain, random: Random) {
    this.#chain = chain;
    this.#answers = new HostileAnswers(random);
  }

  async deploy(): Promise<void> {
    const { rpc, actor } = this.#chain;
    const hash = await this.#send({ data: contracts.HostileFactory.bytecode });
    await actor.mine();
    const receipt = await rpc<{ contractAddress: Hex; status: Hex }>('eth_getTransactionReceipt', [hash]);
    expect(receipt.status).toBe('0x1');
    this.#factory = receipt.contractAddress;
  }

  /** One token with hostile answers, moved to `to` in a transaction that waits for a block; returns the token. */
  async attack(from: Hex, to: Hex): Promise<Hex> {
    const values = this.#answers.nextValues();
    const given = this.#answers.nextToken();
    await this.#call('play', [Object.values(VIEWS), given, from, values.map(() => to), values]);
    return this.#next();
  }

  /** A token of six decimals that says the same balance to everybody. */
  async deployToken(balance: bigint): Promise<Hex> {
    const word = (value: bigint): HostileAnswer => ({
      mode: 0,
      size: 0n,
      data: `0x${value.toString(16).padStart(64, '0')}`,
    });
    const given = [word(0n), word(0n), word(6n), word(1n), word(balance)];
    await this.#call('play', [Object.values(VIEWS), given, this.#factory, [], []]);
    await this.#chain.actor.mine();
    const token = this.#next();
    expect(await this.#chain.rpc<Hex>('eth_getCode', [token, 'latest'])).not.toBe('0x');
    return token;
  }

  /** Moves a token that is known by then. */
  moveAgain(token: Hex, from: Hex, to: Hex): Promise<Hex> {
    return this.move(token, { from, to, values: this.#answers.nextValues() });
  }

  move(
    token: Hex,
    { from, to, values }: { readonly from: Hex; readonly to: Hex; readonly values: readonly bigint[] },
  ): Promise<Hex> {
    const data = encodeFunctionData({
      abi: contracts.HostileToken.abi as Abi,
      functionName: 'emitTransfers',
      args: [from, values.map(() => to), values],
    });
    return this.#send({ to: token, data, gas: MOVE_GAS });
  }

  /** `count` transfers in one transaction. */
  flood(to: Hex, count: number): Promise<Hex> {
    return this.#call('flood', [to, 1n, BigInt(count)], '0x1dcd6500');
  }

  #next(): Hex {
    this.#made += 1;
    return getContractAddress({ from: this.#factory, nonce: BigInt(this.#made) });
  }

  #call(functionName: string, args: readonly unknown[], gas: Hex = GAS): Promise<Hex> {
    const data = encodeFunctionData({ abi: contracts.HostileFactory.abi as Abi, functionName, args });
    return this.#send({ to: this.#factory, data, gas });
  }

  #send(transaction: { to?: Hex; data: Hex; gas?: Hex }): Promise<Hex> {
    const { rpc, actor } = this.#chain;
    return rpc<Hex>('eth_sendTransaction', [{ from: actor.accounts[0], gas: GAS, ...transaction }]);
  }
}
