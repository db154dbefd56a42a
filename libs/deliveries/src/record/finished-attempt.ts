import type { Attempt } from '@chainwatch/channels';
import type { DeliveryJob } from '../delivery-job.ts';

export interface FinishedAttempt {
  readonly job: DeliveryJob;
  readonly attempt: Attempt;
  /** Whether the channel was clean when the attempt began: then a success has nothing to reset. */
  readonly isChannelClean: boolean;
}
