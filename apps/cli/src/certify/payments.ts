// SPDX-License-Identifier: Apache-2.0
import { randomBytes, randomUUID } from 'node:crypto';
import { formatAmount } from '@chainwatch/common/amounts';
import { EVENTS, type EventType } from '@chainwatch/events';

/** What the receiver under test credits. */
export interface Account {
  /** Of a customer that the receiver knows. */
  readonly address: string;
  /** CAIP-19. */
  readonly assetGid: string;
}

/** A made-up event of which the receiver cannot tell that it is made up, unless `is_test_message` is true. */
export interface Event {
  readonly event_id: string;
  readonly type: string;
  readonly api_version: 'v1';
  readonly created_at: string;
  readonly is_test_message: boolean;
  readonly project_id: string;
  readonly sequence: number;
  readonly data: object;
}

/** Of every amount here. */
export const DECIMALS = 18;

/** A transaction that pays the account, and the events that tell of it. */
export class Payment {
  readonly #account: Account;
  /** Base units. */
  readonly amountRaw: bigint;
  readonly #hash = `0x${randomBytes(32).toString('hex')}`;
  readonly #ids = { project: PROJECT_ID, transaction: randomUUID(), address: randomUUID() };

  constructor(account: Account, amountRaw: bigint) {
    this.#account = account;
    this.amountRaw = amountRaw;
  }

  /** @param at of the event; default: now */
  tell(state: State, { at = new Date() }: { readonly at?: Date } = {}): Event {
    const type: `transaction.${State}` = `transaction.${state}`;
    const created = at.toISOString();
    const [chainGid] = this.#account.assetGid.split('/');
    const { address, assetGid } = this.#account;
    const amount = formatAmount(this.amountRaw, DECIMALS);
    const example = EVENTS[type].example({ at: created, id: randomUUID });
    const [transfer] = example.transaction.transfers;
    const [concerned] = example.addresses;
    return {
      event_id: randomUUID(),
      type,
      api_version: 'v1',
      created_at: created,
      is_test_message: false,
      project_id: this.#ids.project,
      sequence: nextSequence(),
      data: {
        ...example,
        transaction: {
          ...example.transaction,
          id: this.#ids.transaction,
          chain_gid: chainGid,
          hash: this.#hash,
          verification: 'proved',
          transfers: [
            {
              ...transfer,
              type: assetGid.includes('/slip44:') ? 'native' : 'token',
              ...{ asset_gid: assetGid, to: address, monitored_addresses: [address] },
              ...{ amount, amount_raw: this.amountRaw.toString(), decimals: DECIMALS },
            },
          ],
        },
        balance_changes: [
          {
            ...{ address_id: this.#ids.address, address, asset_gid: assetGid },
            ...{ delta: amount, delta_raw: this.amountRaw.toString() },
          },
        ],
        addresses: [{ ...concerned, address_id: this.#ids.address, address }],
      },
    };
  }
}

/** What a transaction event tells: the second part of its type. */
type State = EventType extends infer T ? (T extends `transaction.${infer S}` ? S : never) : never;

const PROJECT_ID = randomUUID();

/** Behind those of an earlier run: a receiver keeps the newest of each chain. */
let sequence = Date.now() * 1_000;
function nextSequence(): number {
  sequence += 1;
  return sequence;
}
