import { v7 as uuidv7 } from 'uuid';
import type { Channel } from '../channel-store.ts';
import { type Ticket, TicketLock } from '../create-batcher.ts';
import type { EventToPlan } from './plan-dispatch.ts';

/**
 * The places of a batch in two lines, the one in which deliveries get their ids and the one in which they are handed on,
 * and the ids that it gave: batches behind it have given theirs when it is planned again.
 */
export interface BatchTurn {
  readonly planning: Ticket;
  readonly handing: Ticket;
  readonly idOf: (event: EventToPlan, channel: Channel) => string;
}

/** Lets batches overlap while they wait for the database, and keeps their order where it counts. */
export class BatchTurns {
  readonly #planning = new TicketLock();
  readonly #handing = new TicketLock();

  /** The turn of a batch that begins now. Both of its tickets must be released. */
  take(): BatchTurn {
    return {
      planning: this.#planning.takeTicket(),
      handing: this.#handing.takeTicket(),
      idOf: createIds(),
    };
  }

  /** Does `work` when the batches before it have handed on their jobs, and before those after it have a plan. */
  async between(work: () => Promise<void>): Promise<void> {
    const { planning, handing } = this.take();
    try {
      await handing.turn;
      await work();
    } finally {
      planning.release();
      handing.release();
    }
  }
}

/** A new id for each delivery of a batch, and the same one when it is planned again. */
function createIds(): BatchTurn['idOf'] {
  const ids = new Map<string, string>();
  return ({ event_id: eventId }, { id: channelId }) => {
    const key = `${eventId} ${channelId}`;
    const id = ids.get(key) ?? uuidv7();
    ids.set(key, id);
    return id;
  };
}
