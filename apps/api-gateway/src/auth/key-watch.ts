// SPDX-License-Identifier: Apache-2.0
import type { Sql } from '@chainwatch/data/db';
import type { Principal } from '@chainwatch/data/key-store';
import type { Logger } from '@chainwatch/platform/telemetry';

interface KeyWatchDeps {
  readonly db: Sql;
  readonly logger: Pick<Logger, 'warn'>;
}

interface Watched {
  readonly caller: Principal;
  readonly end: () => void;
}

/** What a key opened ends within a second of it. */
const LOOK_MS = 500;

/**
 * Ends long answers whose caller may no longer read them: its key was revoked, has expired or lost a permission, its
 * member's role changed, its session ended, or its project is gone. One statement checks all callers; nothing is asked
 * while nothing is open.
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
  watch(caller: Principal, end: () => void): () => void {
    const watched = { caller, end };
    this.#watched.add(watched);
    this.#timer ??= this.#schedule();
    return () => void this.#watched.delete(watched);
  }

  #schedule(): NodeJS.Timeout {
    return setTimeout(() => void this.#look(), LOOK_MS).unref();
  }

  async #look(): Promise<void> {
    this.#endSessions();
    try {
      await this.#endRevoked();
      this.#isFailing = false;
    } catch (error) {
      if (!this.#isFailing)
        this.#deps.logger.warn({ err: error }, 'failed to look up keys of open responses, will retry');
      this.#isFailing = true;
    }
    this.#timer = this.#watched.size > 0 ? this.#schedule() : undefined;
  }

  /** Those whose time is over; the database is not asked. */
  #endSessions(): void {
    const now = Date.now();
    for (const { caller, end } of this.#watched) if ((caller.endsAtMs ?? Infinity) <= now) end();
  }

  async #endRevoked(): Promise<void> {
    const asked = [...this.#watched];
    const { rows } = await this.#deps.db.query<{ place: number }>({
      name: 'find_live_callers',
      text: FIND_LIVE,
      values: [
        asked.map(({ caller }) => caller.keyId),
        asked.map(({ caller }) => caller.projectId),
        asked.map(({ caller }) => caller.permissions.join(' ')),
        asked.map(({ caller }) => caller.sessionId),
        asked.map(({ caller }) => caller.member?.email),
        asked.map(({ caller }) => caller.member?.role),
      ],
    });
    const live = new Set(rows.map(({ place }) => Number(place)));
    for (const [index, { end }] of asked.entries()) if (!live.has(index + 1)) end();
  }
}

/** A management key acts on a project for as long as it could make the project's keys, a member for as long as its role is the same. */
const FIND_LIVE = `
  SELECT w.place FROM unnest($1::uuid[], $2::uuid[], $3::text[], $4::uuid[], $5::text[], $6::text[])
    WITH ORDINALITY AS w (key_id, project_id, permissions, session_id, email, role, place)
  JOIN projects p ON p.id = w.project_id
  WHERE NOT EXISTS (SELECT FROM ended_sessions e WHERE e.id = w.session_id) AND CASE WHEN w.email IS NULL
    THEN EXISTS (SELECT FROM api_keys k
      WHERE k.id = w.key_id AND k.workspace_id = p.workspace_id AND k.revoked_at IS NULL AND (k.expires_at IS NULL OR k.expires_at > now())
        AND CASE k.type WHEN 'mgt' THEN 'mgt:key:write' = ANY (k.permissions) ELSE k.permissions @> string_to_array(w.permissions, ' ') END)
    ELSE EXISTS (SELECT FROM members m
      WHERE m.id = w.key_id AND m.workspace_id = p.workspace_id AND m.email = w.email AND m.role = w.role) END`;
