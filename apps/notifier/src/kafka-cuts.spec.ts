// SPDX-License-Identifier: Apache-2.0
import { findKcat, startKafkaProxy } from '@chainwatch/testing';
import { startKafkaDestination } from '@chainwatch/testing/destinations';
import { giveWorlds, type World } from './spec-world.ts';

const CUTS = Number(process.env.KAFKA_CUTS ?? 40);
const PAUSE_MS = 300;
/** The mock cluster keeps 5 MB of a partition: it has room for all. */
const STEP_MS = Math.max(10, CUTS / 4);
const HOWS = ['close', 'reset', 'freeze'] as const;

let world: World;
giveWorlds((given) => ({ world } = given));

(findKcat() ? test : test.skip)(
  `${CUTS} cuts of connections to a Kafka cluster lose nothing, keep the order, and what comes twice has the same id`,
  async () => {
    const destination = await startKafkaDestination();
    const proxy = await startKafkaProxy(destination.brokers);
    await world.addChannel('', {
      kind: 'kafka',
      config: { brokers: proxy.brokers, topic: 'cut', tls: false, ordering: 'strict' },
    });
    await world.start({
      attemptTimeoutMs: 1_500,
      scheduleMs: [0, ...Array<number>(500).fill(100)],
      failingAfter: 10_000,
    });
    const sent: string[] = [];
    let isOver = false;
    const load = (async () => {
      while (!isOver) {
        sent.push(await world.emit({ type: 'balance.changed', addresses: [{ address: 'a' }] }));
        await new Promise((resolve) => setTimeout(resolve, STEP_MS));
      }
    })();
    for (let count = 0; count < CUTS; count += 1) {
      // Not in step with the messages.
      await new Promise((resolve) => setTimeout(resolve, PAUSE_MS * (1 + Math.random())));
      proxy.cut(HOWS[count % HOWS.length]!);
    }
    isOver = true;
    await load;
    for (const eventId of sent) await world.waitForStatus(eventId, 'delivered');
    const failed = await world.rows('SELECT FROM delivery_attempts WHERE error_code IS NOT NULL');
    expect(failed.length).toBeGreaterThan(0);
    const messages = await destination.read('cut');
    const bodies = new Map<string, string>();
    for (const { body } of messages) {
      const { event_id: id } = JSON.parse(body) as { event_id: string };
      expect(bodies.get(id) ?? body).toBe(body);
      bodies.set(id, body);
    }
    // In the order in which each came first.
    expect([...bodies.keys()]).toEqual(sent);
    process.stdout.write(
      `kafka: ${sent.length} events, ${failed.length} failed attempts, ${messages.length - sent.length} more than once\n`,
    );
    await proxy.stop();
    await destination.stop();
  },
);
