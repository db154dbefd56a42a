import type { KeyStore } from '@chainwatch/key-store';
import type { SocketSession } from './socket-session.ts';

interface KeySessions {
  readonly key: string;
  readonly sessions: Set<SocketSession>;
  /** From then on the key is none any more. */
  endsAtMs: number;
}

const LOOK_MS = 500;
const ENDED = 'the API key is not valid any more';

/**
 * Open sessions by the hash of their key. They end with it: at once when the bus tells of it, at the latest when the key
 * store knows (which hears of expiry by itself, and of a revocation that no message told of within its own lifetime).
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

  stop(): void {
    clearInterval(this.#looking);
  }

  #look(): void {
    for (const group of [...this.#byHash.values()]) {
      if (Date.now() >= group.endsAtMs) end(group);
      // A database that does not answer says nothing against a key.
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
