// SPDX-License-Identifier: Apache-2.0
/** A TRC-10 token. */
export interface Asset {
  readonly id: string;
  readonly owner: string;
  readonly value: Readonly<Record<string, unknown>>;
}

/** What the chain keeps beside the virtual machine. Addresses are `41…`. */
export class Ledger {
  readonly #accounts: Set<string>;
  readonly #tokens: Map<string, bigint>;
  readonly #assets: Map<string, Asset>;
  readonly #bandwidth: Map<string, { day: number; used: number }>;
  readonly #frozen: Map<string, bigint>;

  constructor(other?: Ledger) {
    this.#accounts = new Set(other === undefined ? [] : other.#accounts);
    this.#tokens = new Map(other === undefined ? [] : other.#tokens);
    this.#assets = new Map(other === undefined ? [] : other.#assets);
    this.#bandwidth = new Map(other === undefined ? [] : other.#bandwidth);
    this.#frozen = new Map(other === undefined ? [] : other.#frozen);
  }

  copy(): Ledger {
    return new Ledger(this);
  }

  hasAccount(address: string): boolean {
    return this.#accounts.has(address);
  }

  /** Whether the account is new. */
  openAccount(address: string): boolean {
    if (this.#accounts.has(address)) return false;
    this.#accounts.add(address);
    return true;
  }

  tokenBalance(address: string, id: string): bigint {
    return this.#tokens.get(`${address} ${id}`) ?? 0n;
  }

  /** Ids and amounts of what an account holds. */
  listTokens(address: string): { id: string; amount: bigint }[] {
    return [...this.#tokens].flatMap(([key, amount]) =>
      key.startsWith(address) ? [{ id: key.slice(address.length + 1), amount }] : [],
    );
  }

  addToken(address: string, id: string, amount: bigint): void {
    this.#tokens.set(`${address} ${id}`, this.tokenBalance(address, id) + amount);
  }

  issueAsset(owner: string, value: Readonly<Record<string, unknown>>): string {
    const id = String(1_000_001 + this.#assets.size);
    this.#assets.set(id, { id, owner, value });
    return id;
  }

  findAsset(id: string): Asset | undefined {
    return this.#assets.get(id);
  }

  /** Every account has some bandwidth a day for nothing. Whether it was enough. */
  useBandwidth(address: string, bytes: number, nowMs: number): boolean {
    const day = Math.floor(nowMs / 86_400_000);
    const known = this.#bandwidth.get(address);
    const used = known?.day === day ? known.used : 0;
    if (used + bytes > FREE_BANDWIDTH) return false;
    this.#bandwidth.set(address, { day, used: used + bytes });
    return true;
  }

  freeze(address: string, sun: bigint): void {
    this.#frozen.set(address, this.frozen(address) + sun);
  }

  frozen(address: string): bigint {
    return this.#frozen.get(address) ?? 0n;
  }
}

const FREE_BANDWIDTH = 600;
