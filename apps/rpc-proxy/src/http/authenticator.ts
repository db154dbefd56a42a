import type { Socket } from 'node:net';
import { parseApiKey } from '@chainwatch/api-key';
import type { TokenResult } from '@chainwatch/cache';
import type { KeyStore, Principal } from '@chainwatch/key-store';
import type { BodyPayers } from '@chainwatch/raw-http';
import type { Full, MemoryQuota } from '../limits/memory-quota.ts';
import type { LookUps } from '../limits/look-ups.ts';
import type { ClientConnections } from '../limits/client-connections.ts';
import type { Tenants } from '../limits/tenants.ts';
import { clientAddressOf } from './client-address.ts';
import type { ClientRequest } from './client-request.ts';
import { findBearer, type Bearer } from './find-bearer.ts';

export interface AuthenticatorOptions {
  readonly keys: KeyStore;
  readonly namespaceLabel: string;
  readonly lookUps: LookUps;
  readonly tenants: Tenants;
  readonly connections: ClientConnections;
  readonly trustedProxies: number;
}

/** Finds the principal by the key in a request's head. */
export class Authenticator implements BodyPayers<Full> {
  readonly #options: AuthenticatorOptions;
  /**
   * Look-ups in flight, by key: a request with the same key waits for the answer and does not count as another guess.
   */
  readonly #asked = new Map<string, Promise<Principal | undefined>>();

  constructor(options: AuthenticatorOptions) {
    this.#options = options;
  }

  bearerOf(req: ClientRequest): Bearer {
    return findBearer(req, this.#options.namespaceLabel);
  }

  findPrincipal(req: ClientRequest): Principal | undefined {
    const { key } = this.bearerOf(req);
    return key !== undefined ? this.#options.keys.findCached(key, req.socket) : undefined;
  }

  /**
   * Checks the key's form first, so that malformed guesses cost no query. Then limits how often the sender may guess,
   * unless the key has been seen before.
   */
  async askPrincipal(req: ClientRequest): Promise<Principal | undefined> {
    const { keys, lookUps, namespaceLabel, trustedProxies } = this.#options;
    const parsed = parseApiKey(this.bearerOf(req).key, namespaceLabel);
    if (!parsed.ok) return undefined;
    if (keys.hasSeen(parsed.key)) return keys.findPrincipal(parsed.key);
    const running = this.#asked.get(parsed.key);
    if (running !== undefined) return running;
    const address = clientAddressOf(req, trustedProxies);
    if (lookUps.findBlock(address) !== undefined) return undefined;
    const asked = lookUps
      .run(address, () => keys.findPrincipal(parsed.key))
      .finally(() => this.#asked.delete(parsed.key));
    this.#asked.set(parsed.key, asked);
    return asked;
  }

  /**
   * Counts a request without a valid key.
   * @returns what is left of its sender's tries
   */
  async takeFailure(req: ClientRequest): Promise<TokenResult> {
    const { lookUps, trustedProxies } = this.#options;
    const address = clientAddressOf(req, trustedProxies);
    return lookUps.findBlock(address) ?? lookUps.fail(address);
  }

  quotaOf(req: ClientRequest, principal: Principal): MemoryQuota {
    return this.#options.tenants.quotaOf(principal, this.#options.connections.of(req.socket as Socket));
  }

  /**
   * Counts the connection as its key's. Behind proxies a connection belongs to no key.
   * @returns false if the key has too many
   */
  claim(req: ClientRequest, { key }: MemoryQuota): boolean {
    return this.#options.trustedProxies > 0 || this.#options.connections.of(req.socket as Socket).claim(key);
  }

  find(req: ClientRequest): MemoryQuota | undefined {
    const principal = this.findPrincipal(req);
    return principal && this.quotaOf(req, principal);
  }

  async ask(req: ClientRequest): Promise<MemoryQuota | undefined> {
    const principal = await this.askPrincipal(req).catch(() => undefined);
    return principal && this.quotaOf(req, principal);
  }

  /** The account of the connection's last key, or the one that all strangers share. */
  payerOf(req: Pick<ClientRequest, 'socket'>): MemoryQuota {
    return this.#options.connections.of(req.socket as Socket).quota;
  }
}
