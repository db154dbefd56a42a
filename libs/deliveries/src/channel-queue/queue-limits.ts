import type { Channel } from '../channel.ts';
import type { QueueLimits } from './channel-queue.ts';
import type { DeliveryOptions } from '../delivery-options.ts';

/** How a channel may be written to: as its kind says, else as the options do. */
export function queueLimitsOf(
  { kind, target }: Pick<Channel, 'kind' | 'target'>,
  options: DeliveryOptions,
): QueueLimits {
  return {
    queueMax: options.queuePerChannel,
    failingAfter: options.failingAfter,
    concurrency: options.concurrencyPerChannel,
    intervalMs: 0,
    ...(kind && target && kind.limitsOf(target, options.kinds[kind.kind] ?? {})),
  };
}
