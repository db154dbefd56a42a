// SPDX-License-Identifier: Apache-2.0
import { createHash } from 'node:crypto';
import { encodeRawData } from './contract-schema.ts';
import type { TronAccount } from './tron-account.ts';

const FEE_LIMIT = 1_000_000_000n;

export interface Sent {
  readonly txid: string;
  /** Of a contract that the transaction creates: T… is for the caller to make of it. */
  readonly contract?: string;
}

/** Signs and broadcasts transactions through the wallet API of any node, genuine or local. Addresses are `41…`. */
export class TronWallet {
  readonly #url: string;
  #nonce = 0;

  constructor(url: string) {
    this.#url = url;
  }

  async call<T = Readonly<Record<string, unknown>>>(method: string, body: object = {}): Promise<T> {
    const response = await fetch(`${this.#url}/${method}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
      signal: AbortSignal.timeout(20_000),
    });
    const answer = (await response.json()) as T & { Error?: string };
    if (answer.Error !== undefined) throw new Error(`${method}: ${answer.Error}`);
    return answer;
  }

  /** @param data what stands beside the contract: a memo */
  sendTrx(
    from: TronAccount,
    { to, sun, data }: { readonly to: string; readonly sun: bigint; readonly data?: Uint8Array },
  ): Promise<Sent> {
    return this.send(from, {
      name: 'TransferContract',
      value: { to_address: to, amount: sun },
      options: { data },
    });
  }

  sendToken(
    from: TronAccount,
    { to, id, amount }: { readonly to: string; readonly id: string; readonly amount: bigint },
  ): Promise<Sent> {
    return this.send(from, {
      name: 'TransferAssetContract',
      value: {
        asset_name: Buffer.from(id).toString('hex'),
        to_address: to,
        amount,
      },
    });
  }

  trigger(
    from: TronAccount,
    {
      contract,
      data,
      options = {},
    }: {
      readonly contract: string;
      readonly data: string;
      readonly options?: { sun?: bigint; feeLimit?: bigint };
    },
  ): Promise<Sent> {
    return this.send(from, {
      name: 'TriggerSmartContract',
      value: {
        contract_address: contract,
        ...(options.sun !== undefined && { call_value: options.sun }),
        data,
      },
      options: { feeLimit: options.feeLimit ?? FEE_LIMIT },
    });
  }

  async deploy(from: TronAccount, bytecode: string): Promise<Sent> {
    const sent = await this.send(from, {
      name: 'CreateSmartContract',
      value: { new_contract: { origin_address: from.hexAddress, bytecode } },
      options: { feeLimit: FEE_LIMIT },
    });
    return sent;
  }

  /** @throws Error with the node's words when it refuses */
  async send(from: TronAccount, contract: Contract): Promise<Sent> {
    const block = await this.call<NamedBlock>('wallet/getblock', { detail: false });
    // Two transactions that say the same within one block differ by a millisecond.
    const { txid, signed } = TronWallet.sign(from, block, { ...contract, laterMs: this.#nonce++ % 1_000 });
    const answer = await this.call<{ result?: boolean; message?: string }>(
      'wallet/broadcasttransaction',
      signed,
    );
    if (answer.result !== true)
      throw new Error(`${contract.name}: ${Buffer.from(answer.message ?? '', 'hex').toString()}`);
    return { txid };
  }

  /**
   * Signs a transaction that counts on the branch of `block`.
   * @returns its id, and what `wallet/broadcasttransaction` takes
   */
  static sign(
    from: TronAccount,
    { blockID, block_header: { raw_data: head } }: NamedBlock,
    { name, value, laterMs = 0, options: { feeLimit, data } = {} }: Contract & { readonly laterMs?: number },
  ): { readonly txid: string; readonly signed: object } {
    const rawData = encodeRawData(
      name,
      { owner_address: from.hexAddress, ...value },
      {
        refBlock: { number: head.number ?? 0, hash: blockID },
        timestampMs: (head.timestamp ?? 0) + laterMs,
        ...(feeLimit && { feeLimit }),
        ...(data && { data }),
      },
    );
    const txid = createHash('sha256').update(rawData).digest('hex');
    const signed = { raw_data_hex: rawData.toString('hex'), signature: [from.sign(txid)], txID: txid };
    return { txid, signed };
  }
}

/** A contract of a transaction, by the names of TRON's protocol. */
interface Contract {
  readonly name: string;
  readonly value: Readonly<Record<string, unknown>>;
  readonly options?: { readonly feeLimit?: bigint; readonly data?: Uint8Array | undefined };
}

interface NamedBlock {
  readonly blockID: string;
  readonly block_header: { readonly raw_data: { readonly number?: number; readonly timestamp?: number } };
}
