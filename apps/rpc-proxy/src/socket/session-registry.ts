// SPDX-License-Identifier: Apache-2.0
import type { KeyStore } from '@chainwatch/key-store';
import type { SocketSession } from './socket-session.ts';

interface KeySessions {
  readonly key: string;
  readonly sessions: Set<SocketSession>;
  /** When the key stops being valid. */
  endsAtMs: number;
}

const LOOK_MS = 500;
const ENDED = 'the API key is not valid any more';

/**
 * Open sessions by the hash of their key. A session ends with its key: at once when the bus reports the end, otherwise
 * as soon as the key store knows. The key store notices an expiry by itself, and a revocation without a message once
 * its cached entry has expired.
 */
export class SessionRegistry {
  readonly #keys: KeyStore;
  readonly #byHash = new Map<string, KeySessions>();
  readonly #looking: NodeJS.Timeout;

  constructor(keys: KeyStore) {
    this.#keys = keys;
    this.#looking = setInterval(() => this.#look(), LOOK_MS).unref();
  }

  /** @returns what to do when the session is over */
  add(hash: string, key: string, session: SocketSession): () => void {
    let group = this.#byHash.get(hash);
    if (group === undefined)
      this.#byHash.set(hash, (group = { key, sessions: new Set(), endsAtMs: Number.POSITIVE_INFINITY }));
    const { sessions } = group;
    sessions.add(session);
    return () => {
      sessions.delete(session);
      if (sessions.size === 0) this.#byHash.delete(hash);
    };
  }

  /** @param hash hexadecimal */
  revoke(hash: string, endsAtMs: number): void {
    const group = this.#byHash.get(hash.toLowerCase());
    if (group === undefined) return;
    group.endsAtMs = Math.min(group.endsAtMs, endsAtMs);
    if (Date.now() >= group.endsAtMs) end(group);
  }

  /** Ends every session when its calls in flight are answered. */
  leave(): void {
    for (const { sessions } of [...this.#byHash.values()])
      for (const session of [...sessions]) session.leave();
  }

  stop(): void {
    clearInterval(this.#looking);
  }

  #look(): void {
    for (const group of [...this.#byHash.values()]) {
      if (Date.now() >= group.endsAtMs) end(group);
      // A database that does not answer does not prove the key invalid.
      else
        void this.#keys.findPrincipal(group.key).then(
          (principal) => principal === undefined && end(group),
          () => undefined,
        );
      for (const session of [...group.sessions]) session.look();
    }
  }
}

function end({ sessions }: KeySessions): void {
  for (const session of [...sessions]) session.end(1008, ENDED);
}
