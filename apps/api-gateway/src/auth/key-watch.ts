import type { Sql } from '@chainwatch/db';
import type { Logger } from '@chainwatch/telemetry';

interface KeyWatchDeps {
  readonly db: Sql;
  readonly logger: Pick<Logger, 'warn'>;
}

interface Watched {
  readonly keyId: string;
  readonly end: () => void;
}

/** What a key opened ends within a second of it. */
const LOOK_MS = 500;

/**
 * Ends answers that outlive the check of their key when it is revoked, expires or goes with its project. One statement
 * looks for all keys; while nothing is open none is asked.
 */
export class KeyWatch {
  readonly #deps: KeyWatchDeps;
  readonly #watched = new Set<Watched>();
  #timer: NodeJS.Timeout | undefined;
  #isFailing = false;

  constructor(deps: KeyWatchDeps) {
    this.#deps = deps;
  }

  /** @returns forget, to be called when it is over by itself */
  watch(keyId: string, end: () => void): () => void {
    const watched = { keyId, end };
    this.#watched.add(watched);
    this.#timer ??= this.#schedule();
    return () => void this.#watched.delete(watched);
  }

  #schedule(): NodeJS.Timeout {
    return setTimeout(() => void this.#look(), LOOK_MS).unref();
  }

  async #look(): Promise<void> {
    try {
      await this.#endRevoked();
      this.#isFailing = false;
    } catch (error) {
      if (!this.#isFailing)
        this.#deps.logger.warn({ err: error }, 'keys of open answers could not be looked up, retrying');
      this.#isFailing = true;
    }
    this.#timer = this.#watched.size > 0 ? this.#schedule() : undefined;
  }

  async #endRevoked(): Promise<void> {
    const asked = [...this.#watched];
    const { rows } = await this.#deps.db.query<{ id: string }>({
      name: 'find_live_keys',
      text: 'SELECT id FROM api_keys WHERE id = ANY ($1::uuid[]) AND revoked_at IS NULL AND (expires_at IS NULL OR expires_at > now())',
      values: [[...new Set(asked.map(({ keyId }) => keyId))]],
    });
    const live = new Set(rows.map(({ id }) => id));
    for (const { keyId, end } of asked) if (!live.has(keyId)) end();
  }
}
