import type { Chainwatch, ChainwatchEvent } from '@chainwatch/sdk';
import type { ShopKey } from './ensure-public-key.ts';

/** `waiting` for money, `partial`, `seen` in full, `paid` when that is confirmed. */
type Status = 'waiting' | 'partial' | 'seen' | 'paid';

export interface Order {
  readonly address: string;
  readonly status: Status;
  /** Satoshi, as decimal integers. */
  readonly amount: string;
  readonly seen: string;
  readonly confirmed: string;
}

/** An order is the metadata of its address: there is nothing to keep beside chainwatch. */
export class Orders {
  readonly #chainwatch: Chainwatch;
  readonly #key: ShopKey;
  readonly #readers = new Map<string, Set<() => void>>();

  constructor(chainwatch: Chainwatch, key: ShopKey) {
    this.#chainwatch = chainwatch;
    this.#key = key;
  }

  async create(amount: bigint): Promise<Order> {
    const { address } = await this.#chainwatch.publicKeys.createNextAddress(this.#key.id);
    await this.#chainwatch.addresses.update(address, {
      label: 'Order',
      metadata: { amount: String(amount) },
    });
    return this.read(address);
  }

  /** What the chain says about it now. @throws ProblemError 404 */
  async read(address: string): Promise<Order> {
    const { metadata } = await this.#chainwatch.addresses.get(address);
    const amount = BigInt(String(metadata.amount));
    let seen = 0n;
    let confirmed = 0n;
    const statuses = ['pending', 'detected', 'confirmed'] as const;
    const transactions = this.#chainwatch.transactions.list({
      addresses: [address],
      statuses: [...statuses],
      limit: 100,
    });
    for await (const { transfers, status } of transactions)
      for (const { to, asset_gid: asset, amount_raw: value } of transfers) {
        if (to !== address || asset !== this.#key.assetGid) continue;
        seen += BigInt(value);
        if (status === 'confirmed') confirmed += BigInt(value);
      }
    const status = confirmed >= amount ? 'paid' : seen >= amount ? 'seen' : seen > 0n ? 'partial' : 'waiting';
    return { address, status, amount: String(amount), seen: String(seen), confirmed: String(confirmed) };
  }

  /** Calls `onChange` whenever a transaction of the address has changed; returns what ends that. */
  watch(address: string, onChange: () => void): () => void {
    const readers = this.#readers.get(address) ?? new Set();
    this.#readers.set(address, readers.add(onChange));
    return () => {
      readers.delete(onChange);
      if (readers.size === 0 && this.#readers.get(address) === readers) this.#readers.delete(address);
    };
  }

  /** One stream for all orders. Each change is read anew, so that a page never depends on the order of events. */
  async follow(): Promise<void> {
    for await (const event of this.#chainwatch.events.stream())
      for (const address of addressesOf(event)) for (const tell of this.#readers.get(address) ?? []) tell();
  }
}

function addressesOf(event: ChainwatchEvent): string[] {
  return 'balance_changes' in event.data ? event.data.balance_changes.map(({ address }) => address) : [];
}
