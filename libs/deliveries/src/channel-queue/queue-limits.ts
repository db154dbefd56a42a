import type { Channel } from '../channel-store.ts';
import type { QueueLimits } from './channel-queue.ts';
import type { DeliveryOptions } from '../delivery-options.ts';

/** The limits of a channel: those of its kind, else those of the options. */
export function queueLimitsOf(
  { kind, target }: Pick<Channel, 'kind' | 'target'>,
  options: DeliveryOptions,
): QueueLimits {
  return {
    queueMax: options.queuePerChannel,
    failingAfter: options.failingAfter,
    concurrency: options.concurrencyPerChannel,
    intervalMs: 0,
    sharedIntervalMs: 0,
    ...(kind && target && kind.limitsOf(target, options.kinds[kind.kind] ?? {})),
  };
}
