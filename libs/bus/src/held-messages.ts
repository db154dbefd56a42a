import type { JsMsg } from '@nats-io/jetstream';

export interface HeldMessages {
  readonly size: number;
  /** False when the message is held already: the server sent it again before it heard from us. */
  add(message: JsMsg): boolean;
  delete(message: JsMsg): void;
  close(): void;
}

/**
 * The messages of one consumer that are neither acknowledged nor refused. Each is reported as in progress well before
 * its time is up, whether its handler runs or it waits for its turn, so that nobody else gets it while we live.
 */
export function createHeldMessages(ackWaitMs: number): HeldMessages {
  const held = new Map<number, JsMsg>();
  const timer = setInterval(() => {
    for (const message of held.values()) message.working();
  }, ackWaitMs / 3);
  timer.unref();
  return {
    get size() {
      return held.size;
    },
    add(message) {
      if (held.has(message.seq)) return false;
      held.set(message.seq, message);
      return true;
    },
    delete(message) {
      if (held.get(message.seq) === message) held.delete(message.seq);
    },
    close: () => clearInterval(timer),
  };
}
