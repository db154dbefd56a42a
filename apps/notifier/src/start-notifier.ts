// SPDX-License-Identifier: Apache-2.0
import type { Bus } from '@chainwatch/data/bus';
import {
  createDeliveryEngine,
  shareChannels,
  type DeliveryDependencies,
  type DeliveryOptions,
} from '@chainwatch/deliveries';
import { FLOW, streamOf } from '@chainwatch/events';
import type { ShareTiming } from '@chainwatch/data/ownership';
import { notOk, ok, probe, type Checks, type Workers } from '@chainwatch/platform/telemetry';
import { startPositioning } from './positions/start-positioning.ts';

export interface NotifierDependencies extends DeliveryDependencies {
  readonly bus: Bus<'notifier'>;
  /** Told of what does nothing but fail. */
  readonly workers: Workers;
  readonly options?: Partial<DeliveryOptions>;
  /** How channels move between replicas. */
  readonly shareTiming?: Partial<ShareTiming>;
}

export interface Notifier {
  readiness(): Promise<Checks>;
  /** Takes nothing new, finishes attempts under way and stores what came of them. */
  stop(): Promise<void>;
}

/**
 * Gives events their positions, and turns them into deliveries. Every replica hears the bus, which is a bell: what there is to
 * do, the table says. Each replica delivers to the channels that it owns.
 */
export function startNotifier(dependencies: NotifierDependencies): Notifier {
  const { bus, db, planned, logger, shareTiming, workers } = dependencies;
  const members = shareChannels({
    db,
    logger,
    timing: shareTiming,
    onGain: () => engine.gain(),
    onLoss: (share) => engine.leave(share),
  });
  const engine = createDeliveryEngine(dependencies, dependencies.options ?? {}, members);
  const stopListening = listen(bus, () => engine.ring());
  const stopPositioning = startPositioning({
    ...{ db, planned, logger },
    health: workers.of('positions'),
    timing: shareTiming,
  });
  return {
    async readiness() {
      return {
        postgres: await probe(() => db.query('SELECT 1')),
        nats: bus.isConnected ? ok : notOk('NATS does not answer'),
        ...workers.checks(),
      };
    },
    async stop() {
      await stopListening();
      // Each share goes to another replica when its own requests are over: no channel waits for the slowest of all.
      await members.stop();
      await engine.stop();
      await stopPositioning();
    },
  };
}

/** Rings for each event on the bus, and when a consumer is opened again. A consumer reads one stream, without payloads. */
function listen(bus: Bus<'notifier'>, ring: () => void): () => Promise<void> {
  const subjects = FLOW.notifier.consumes;
  const stops = [...new Set(subjects.map(streamOf))].map((stream) => {
    const [first, ...others] = subjects.filter((subject) => streamOf(subject) === stream);
    return bus.consume([first!, ...others], [], { onMessage: ring, onOpen: ring, isBell: true });
  });
  return async () => void (await Promise.all(stops.map((stop) => stop())));
}
