import type { Channel } from '../channel-config.ts';
import type { QueueLimits } from './channel-queue.ts';
import type { DeliveryOptions } from '../delivery-options.ts';

/** How a channel of its kind may be written to. */
export function queueLimitsOf({ target }: Pick<Channel, 'target'>, options: DeliveryOptions): QueueLimits {
  const common = {
    queueMax: options.queuePerChannel,
    failingAfter: options.failingAfter,
    concurrency: options.concurrencyPerChannel,
    intervalMs: 0,
  };
  if (target.kind !== 'telegram') return common;
  const { chatIntervalMs, groupIntervalMs, digestFrom, digestMax } = options.telegram;
  // One after the other: Telegram shows messages in the order in which they come.
  return {
    ...common,
    concurrency: 1,
    intervalMs: target.chatId > 0 ? chatIntervalMs : groupIntervalMs,
    digest: { from: digestFrom, max: digestMax },
  };
}
