import type { Attempt } from '@chainwatch/channels';
import type { Sql } from '@chainwatch/db';
import { describeFault, findPoison, isItemFault } from '@chainwatch/quarantine';
import type { Logger } from '@chainwatch/telemetry';
import { putOffDelivery, setAsideEvents } from '../schedule/set-aside-events.ts';
import type { ChannelState, FinishedAttempt } from './decide-outcome.ts';

/** Stores outcomes, all or none. Resolves to the states of their channels, by id. */
export type WriteOutcomes = (
  finished: readonly FinishedAttempt[],
) => Promise<ReadonlyMap<string, ChannelState>>;

interface OutcomeDeps {
  readonly db: Sql;
  readonly logger: Pick<Logger, 'error'>;
}

const INT_MAX = 2 ** 31 - 1;

/**
 * Outcomes on their way to the database. One of them that it refuses is stored without what the receiver said; one that it
 * refuses even then is set aside, and its delivery put off. The others do not wait for it.
 */
export class Outcomes {
  readonly #deps: OutcomeDeps;
  readonly #write: WriteOutcomes;
  readonly #left: Set<FinishedAttempt>;
  readonly #states = new Map<string, ChannelState>();
  #isSuspect = false;

  constructor(deps: OutcomeDeps, finished: readonly FinishedAttempt[], write: WriteOutcomes) {
    this.#deps = deps;
    this.#write = write;
    this.#left = new Set(finished);
  }

  /** Of the channels of what is stored so far. */
  get states(): ReadonlyMap<string, ChannelState> {
    return this.#states;
  }

  /** Stores what is left. After a fault that one of them may have caused, the next call looks for it. @throws what the database says */
  async store(): Promise<void> {
    const left = [...this.#left];
    if (left.length === 0) return;
    try {
      if (this.#isSuspect) await this.#storeApart(left);
      else await this.#storeAll(left);
    } catch (error) {
      this.#isSuspect ||= isItemFault(error);
      throw error;
    }
  }

  async #storeAll(some: readonly FinishedAttempt[]): Promise<void> {
    for (const [id, state] of await this.#write(some)) this.#states.set(id, state);
    for (const one of some) this.#left.delete(one);
  }

  async #storeApart(left: readonly FinishedAttempt[]): Promise<void> {
    for (const { item, error } of await findPoison(left, (some) => this.#storeAll(some))) {
      const names = { channel_id: item.job.channelId, delivery_id: item.job.id };
      this.#deps.logger.error({ ...names, err: error }, 'an attempt could not be recorded as it was');
      try {
        await this.#storeAll([withoutDetails(item, error)]);
      } catch (again) {
        if (!isItemFault(again)) throw again;
        await this.#setAside(item, again);
      }
      this.#left.delete(item);
    }
  }

  async #setAside(item: FinishedAttempt, error: unknown): Promise<void> {
    const { db, logger } = this.#deps;
    const { id, eventId, channelId } = item.job;
    await putOffDelivery(db, id);
    await setAsideEvents(db, 'records', [{ item: { eventId }, error }]);
    logger.error(
      { err: error, channel_id: channelId, delivery_id: id, event_id: eventId },
      'a delivery whose outcome could not be recorded was set aside',
    );
  }
}

/** The same outcome, with numbers and times that a column takes, and without any text of the receiver. */
function withoutDetails({ attempt, ...rest }: FinishedAttempt, error: unknown): FinishedAttempt {
  const { durationMs, statusCode, startedAt } = attempt;
  const plain: Attempt = {
    ...attempt,
    startedAt: Number.isNaN(startedAt.getTime()) ? new Date() : startedAt,
    durationMs: Number.isFinite(durationMs) ? Math.min(Math.max(0, Math.round(durationMs)), INT_MAX) : 0,
    statusCode: Number.isInteger(statusCode) && statusCode! <= INT_MAX ? statusCode : undefined,
    request: { method: attempt.request.method, url: '', headers: {} },
    responseHeaders: undefined,
    responseBody: `not recorded: ${describeFault(error)}`,
  };
  return { ...rest, attempt: plain };
}
