// SPDX-License-Identifier: Apache-2.0
import { encodeFunctionData, type Abi, type Hex } from 'viem';
import { startAnvil, type AnvilHandle } from '@chainwatch/testing';
import { contracts } from '../../devnet/evm/contracts.ts';

/** An anvil chain of a token and fifty rich senders, whose blocks are filled with transfers at will. */
export class TransferChain {
  readonly anvil: AnvilHandle;
  /** The token's contract. */
  readonly token: Hex;
  readonly #accounts: readonly Hex[];
  readonly #nonces = new Map<Hex, number>();
  #turn = 0;

  private constructor(anvil: AnvilHandle, token: Hex, accounts: readonly Hex[]) {
    this.anvil = anvil;
    this.token = token;
    this.#accounts = accounts;
  }

  /** Two blocks: the token's, and the one in which every sender gets some of it. */
  static async open(): Promise<TransferChain> {
    const anvil = await startAnvil({
      args: [
        '--no-mining',
        '--gas-limit',
        '1000000000',
        '--order',
        'fifo',
        '--accounts',
        '50',
        '--balance',
        '1000000',
      ],
    });
    const accounts = await anvil.rpc<Hex[]>('eth_accounts', []);
    const hash = await anvil.rpc<Hex>('eth_sendTransaction', [
      { from: accounts[0], data: contracts.TestToken.bytecode, gas: '0x2dc6c0' },
    ]);
    await anvil.mine();
    const { contractAddress } = await anvil.rpc<{ contractAddress: Hex }>('eth_getTransactionReceipt', [
      hash,
    ]);
    const chain = new TransferChain(anvil, contractAddress, accounts);
    for (const account of accounts)
      await anvil.rpc('eth_sendTransaction', [
        { from: account, to: contractAddress, data: encode('mint', [account, 10n ** 30n]), gas: '0x186a0' },
      ]);
    await anvil.mine();
    // Of many transactions under way at once the node would give two the same nonce.
    await Promise.all(
      accounts.map(async (account) =>
        chain.#nonces.set(
          account,
          Number(await anvil.rpc<Hex>('eth_getTransactionCount', [account, 'pending'])),
        ),
      ),
    );
    return chain;
  }

  /** Sends a transfer to each of `recipients`, of the token where `isToken` says so of its place, for the next block. */
  async send(
    recipients: readonly string[],
    isToken: (index: number) => boolean = (index) => index % 2 === 0,
  ): Promise<void> {
    await Promise.all(
      recipients.map((recipient, index) => {
        const to = recipient as Hex;
        const from = this.#accounts[index % this.#accounts.length]!;
        const nonce = this.#nonces.get(from)!;
        this.#nonces.set(from, nonce + 1);
        const amount = 1_000n + BigInt((this.#turn += 1));
        const call = isToken(index)
          ? { to: this.token, data: encode('transfer', [to, amount]) }
          : { to, value: `0x${amount.toString(16)}` };
        return this.anvil.rpc('eth_sendTransaction', [
          { ...call, from, nonce: `0x${nonce.toString(16)}`, gas: '0x186a0', gasPrice: '0x77359400' },
        ]);
      }),
    );
  }
}

const encode = (functionName: string, args: readonly unknown[]): Hex =>
  encodeFunctionData({ abi: contracts.TestToken.abi as Abi, functionName, args });
