// SPDX-License-Identifier: Apache-2.0
import { base58 } from '@scure/base';
import { PublicKey } from '@solana/web3.js';
import type { WebSocket } from 'ws';
import type { Ledger } from './ledger.ts';
import { RpcError } from './rpc-error.ts';

interface Subscription {
  readonly socket: WebSocket;
  readonly kind: 'slot' | 'root' | 'signature' | 'account';
  readonly target?: string;
  /** What was told last. */
  last?: string;
}

/** Subscriptions of one server: looked through after each change of the ledger. */
export class Subscriptions {
  readonly #ledger: Ledger;
  readonly #open = new Map<number, Subscription>();
  #nextId = 1;

  constructor(ledger: Ledger) {
    this.#ledger = ledger;
  }

  /** @returns undefined for a method that is none of subscriptions */
  handle(socket: WebSocket, method: string, params: readonly unknown[]): unknown {
    const kind = /^(slot|root|signature|account)(Subscribe|Unsubscribe)$/.exec(method);
    if (kind === null) return undefined;
    if (kind[2] === 'Unsubscribe') return this.#open.delete(Number(params[0]));
    const id = this.#nextId++;
    const subscription: Subscription = {
      socket,
      kind: kind[1] as Subscription['kind'],
      ...(typeof params[0] === 'string' ? { target: params[0] } : {}),
    };
    if (
      (subscription.kind === 'signature' || subscription.kind === 'account') &&
      subscription.target === undefined
    )
      throw new RpcError(-32602, 'Invalid param: expected a base58 text');
    this.#open.set(id, subscription);
    // The answer with the id goes first.
    setImmediate(() => this.#tell(id, subscription));
    return id;
  }

  close(socket: WebSocket): void {
    for (const [id, subscription] of this.#open) if (subscription.socket === socket) this.#open.delete(id);
  }

  notify(): void {
    for (const [id, subscription] of this.#open) this.#tell(id, subscription);
  }

  #tell(id: number, subscription: Subscription): void {
    const result = this.#read(subscription);
    const text = JSON.stringify(result);
    if (!this.#open.has(id) || result === undefined || text === subscription.last) return;
    subscription.last = text;
    if (subscription.kind === 'signature') this.#open.delete(id);
    subscription.socket.send(
      JSON.stringify({
        jsonrpc: '2.0',
        method: `${subscription.kind}Notification`,
        params: { result, subscription: id },
      }),
    );
  }

  #read({ kind, target }: Subscription): unknown {
    const { head, finalized, vm } = this.#ledger;
    if (kind === 'slot') return { slot: head.slot, parent: head.parentSlot, root: finalized.slot };
    if (kind === 'root') return finalized.slot;
    if (kind === 'signature') {
      const found = this.#ledger.findTransaction(target!);
      return found && { context: { slot: head.slot }, value: { err: found.executed.error ?? null } };
    }
    const account = vm.getAccount(new PublicKey(target!).toBytes());
    if (account === null) return undefined;
    const value = {
      lamports: Number(account.lamports()),
      owner: base58.encode(account.owner()),
      executable: account.executable(),
      rentEpoch: 0,
      data: [Buffer.from(account.data()).toString('base64'), 'base64'],
    };
    return { context: { slot: 0 }, value };
  }
}
