// SPDX-License-Identifier: Apache-2.0
import type { Socket } from 'node:net';
import { parseApiKey } from '@chainwatch/common/api-key';
import type { TokenResult } from '@chainwatch/platform/cache';
import type { KeyStore, Principal } from '@chainwatch/data/key-store';
import type { BodyPayers } from './http-request.ts';
import type { Full, MemoryQuota, Tenants } from '../limits/tenants.ts';
import type { LookUps } from '../limits/look-ups.ts';
import type { ClientConnections } from '../limits/client-connections.ts';
import { clientOf, type ClientRequest } from './client-request.ts';

export interface AuthenticatorOptions {
  readonly keys: KeyStore;
  readonly namespaceLabel: string;
  readonly lookUps: LookUps;
  readonly tenants: Tenants;
  readonly connections: ClientConnections;
  readonly trustedProxies: number;
}

/** The key in a request's head, and where the request goes, without the key. */
export interface Bearer {
  readonly key: string | undefined;
  /** Different keys stand in several places: none of them is accepted. */
  readonly isTwofold: boolean;
  /** The chain's name, as it stands in the path. */
  readonly name: string;
  /** The rest of the URL after the name, with its query: `/wallet/getnowblock`, or empty. */
  readonly rest: string;
}

/** Finds the principal by the key in a request's head. */
export class Authenticator implements BodyPayers<Full> {
  readonly #options: AuthenticatorOptions;
  /**
   * Look-ups in flight, by key: a request with the same key waits for the answer and does not count as another guess.
   */
  readonly #asked = new Map<string, Promise<Principal | undefined>>();

  /** Of the request that was asked for last: each is asked for several times. */
  #last: { readonly req: ClientRequest; readonly bearer: Bearer } | undefined;

  constructor(options: AuthenticatorOptions) {
    this.#options = options;
  }

  bearerOf(req: ClientRequest): Bearer {
    if (this.#last?.req !== req) this.#last = { req, bearer: findBearer(req, this.#options.namespaceLabel) };
    return this.#last.bearer;
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
    const address = clientOf(req, trustedProxies);
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
    const address = clientOf(req, trustedProxies);
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

/**
 * The key stands in X-Api-Key, in Authorization (Bearer, or the password of Basic), in `?api-key=`, or in the path
 * after the chain's name. In the path only a well-formed key counts; any other segment belongs to the chain.
 */
export function findBearer(
  { url = '/', headers }: Pick<ClientRequest, 'url' | 'headers'>,
  label: string,
): Bearer {
  const nameEnd = findNameEnd(url);
  const name = url.slice(1, nameEnd);
  const own = headers['x-api-key'];
  if (nameEnd === url.length && headers.authorization === undefined && typeof own !== 'object')
    return { key: own, isTwofold: false, name, rest: '' };
  const claims = new Set<string>();
  if (own !== undefined) claims.add(String(own));
  const authorized =
    headers.authorization === undefined ? undefined : readAuthorization(headers.authorization);
  if (authorized !== undefined) claims.add(authorized);
  const rest = takeFromQuery(takeFromPath(url.slice(nameEnd), label, claims), claims);
  // As soon as one value is a well-formed key, malformed ones are not taken for keys.
  const keys = [...claims].filter((claim) => parseApiKey(claim, label).ok);
  if (keys.length > 1) return { key: undefined, isTwofold: true, name, rest };
  const [first] = claims;
  return { key: keys[0] ?? first, isTwofold: false, name, rest };
}

/** Why the request could not be authenticated. */
export function sayUnauthorized({ key, isTwofold }: Bearer): string {
  if (isTwofold) return 'expected one API key, got different ones in different places';
  return key === undefined ? 'missing API key' : 'invalid API key';
}

function findNameEnd(url: string): number {
  for (let at = 1; at < url.length; at += 1) {
    const char = url.charCodeAt(at);
    if (char === 0x2f || char === 0x3f) return at;
  }
  return url.length;
}

function readAuthorization(value: string): string | undefined {
  const [, scheme, text] = /^(\w+) +(\S+)$/.exec(value.trim()) ?? [];
  if (scheme?.toLowerCase() === 'bearer') return text;
  if (scheme?.toLowerCase() !== 'basic') return undefined;
  const pair = Buffer.from(text!, 'base64').toString();
  const colon = pair.indexOf(':');
  return colon === -1 || colon === pair.length - 1 ? undefined : pair.slice(colon + 1);
}

function takeFromPath(rest: string, label: string, claims: Set<string>): string {
  const segment = /^\/([^/?]*)/.exec(rest)?.[1];
  if (segment === undefined || !parseApiKey(segment, label).ok) return rest;
  claims.add(segment);
  return rest.slice(segment.length + 1);
}

function takeFromQuery(rest: string, claims: Set<string>): string {
  const mark = rest.indexOf('?');
  const path = mark === -1 ? rest : rest.slice(0, mark);
  const left: string[] = [];
  for (const pair of mark === -1 ? [] : rest.slice(mark + 1).split('&')) {
    const equals = pair.indexOf('=');
    if (decode(equals === -1 ? pair : pair.slice(0, equals)) === 'api-key')
      claims.add(equals === -1 ? '' : decode(pair.slice(equals + 1)));
    else left.push(pair);
  }
  if (left.length > 0) return `${path}?${left.join('&')}`;
  return path === '/' ? '' : path;
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
