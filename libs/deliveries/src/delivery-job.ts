/** A delivery in memory, on its way to a receiver. */
export interface DeliveryJob {
  readonly id: string;
  readonly channelId: string;
  readonly eventId: string;
  readonly eventType: string;
  /** The exact bytes that are sent and signed. */
  readonly payload: string;
  readonly traceparent: string | undefined;
  /** Attempts of the present schedule, made before. */
  readonly attemptCount: number;
  /** Nobody tried it yet: it goes in event order, before every retry. */
  readonly isFirst: boolean;
  /** When it was due by its schedule. */
  readonly dueAt: Date;
  /** One attempt to see whether a failing channel is back; it counts for the schedule only when the delivery was due. */
  readonly isProbe: boolean;
  /** Asked for by a customer: one attempt whatever the state of the channel. */
  readonly isTest: boolean;
}
