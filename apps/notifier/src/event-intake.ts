import { setTimeout as delay } from 'node:timers/promises';
import {
  shareOf,
  type DeliveryEngine,
  type DeliveryLogger,
  type Dispatcher,
  type EventRef,
} from '@chainwatch/deliveries';

interface IntakeDependencies {
  readonly engine: Pick<DeliveryEngine, 'changeShare' | 'lanes'>;
  readonly dispatcher: Pick<Dispatcher, 'dispatch' | 'catchUp' | 'size'>;
  readonly logger: Pick<DeliveryLogger, 'warn'>;
}

/** Events from the bus that wait for the database; what comes beyond is found by the sweep. */
const WAITING_MAX = 5_000;
/** An attempt that takes longer is not waited for when its channel goes to another replica. */
const LEAVE_MS_MAX = 5_000;
const LEAVE_LOOK_MS = 20;

/** Events of the bus on their way to the dispatcher. While the share of this replica changes they wait: what is older goes first. */
export class EventIntake {
  readonly #deps: IntakeDependencies;
  readonly #inbox: EventRef[] = [];
  #changing: Promise<void> | undefined;
  /** The change that has not begun. */
  #next: Promise<void> | undefined;
  #isStopping = false;

  constructor(deps: IntakeDependencies) {
    this.#deps = deps;
  }

  take(event: EventRef): void {
    if (this.#isStopping || this.#deps.dispatcher.size + this.#inbox.length >= WAITING_MAX) return;
    if (this.#changing === undefined) this.#dispatch(event);
    else this.#inbox.push(event);
  }

  /** Other channels are this replica's from now on. One change at a time: what comes or goes before it begins is part of it. */
  changeShare(): Promise<void> {
    this.#next ??= this.#change(this.#changing);
    this.#changing = this.#next;
    return this.#next;
  }

  /** What waits is given back; attempts under way end first, so that the next owner does not overtake them. */
  async leaveShare(share: string): Promise<void> {
    await this.changeShare();
    const { lanes } = this.#deps.engine;
    const isBusy = (): boolean => [...lanes].some(([id, lane]) => lane.active > 0 && shareOf(id) === share);
    for (const untilMs = performance.now() + LEAVE_MS_MAX; isBusy() && performance.now() < untilMs; )
      await delay(LEAVE_LOOK_MS);
  }

  /** Takes nothing more; resolves when no change is under way. */
  async stop(): Promise<void> {
    this.#isStopping = true;
    await this.#changing;
  }

  async #change(before: Promise<void> | undefined): Promise<void> {
    await before;
    const change = this.#next;
    this.#next = undefined;
    if (!this.#isStopping) await this.#takeOver();
    // Those that wait go on behind the last change.
    if (this.#changing !== change) return;
    this.#changing = undefined;
    for (const event of this.#inbox.splice(0)) this.#dispatch(event);
  }

  async #takeOver(): Promise<void> {
    const { engine, dispatcher, logger } = this.#deps;
    try {
      await engine.changeShare();
      await dispatcher.catchUp();
    } catch (error) {
      logger.warn({ error: String(error) }, 'what waited could not be taken over, it is found later');
    }
  }

  #dispatch(event: EventRef): void {
    const { dispatcher, logger } = this.#deps;
    dispatcher
      .dispatch(event)
      .catch((error: unknown) =>
        logger.warn(
          { error: String(error), event_id: event.eventId },
          'an event could not be dispatched, it is found again',
        ),
      );
  }
}
