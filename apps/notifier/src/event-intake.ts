import type { DeliveryEngine, DeliveryLogger, Dispatcher, EventRef } from '@chainwatch/deliveries';

interface IntakeDependencies {
  readonly engine: Pick<DeliveryEngine, 'changeShare'>;
  readonly dispatcher: Pick<Dispatcher, 'dispatch' | 'catchUp' | 'size'>;
  readonly logger: Pick<DeliveryLogger, 'warn'>;
}

/** Events from the bus that wait for the database; what comes beyond is found by the sweep. */
const WAITING_MAX = 5_000;

/** Events of the bus on their way to the dispatcher. While the share of this replica changes they wait: what is older goes first. */
export class EventIntake {
  readonly #deps: IntakeDependencies;
  readonly #inbox: EventRef[] = [];
  #changing: Promise<void> | undefined;
  #isStopping = false;

  constructor(deps: IntakeDependencies) {
    this.#deps = deps;
  }

  take(event: EventRef): void {
    if (this.#isStopping || this.#deps.dispatcher.size + this.#inbox.length >= WAITING_MAX) return;
    if (this.#changing === undefined) this.#dispatch(event);
    else this.#inbox.push(event);
  }

  /** Other channels are this replica's from now on; one change at a time. */
  changeShare(): void {
    const change = (this.#changing ?? Promise.resolve()).then(async () => {
      await this.#takeOver();
      if (this.#changing === change) this.#changing = undefined;
      for (const event of this.#inbox.splice(0)) this.#dispatch(event);
    });
    this.#changing = change;
  }

  /** Takes nothing more; resolves when no change is under way. */
  async stop(): Promise<void> {
    this.#isStopping = true;
    await this.#changing;
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
