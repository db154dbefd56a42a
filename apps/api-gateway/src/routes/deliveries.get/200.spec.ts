// SPDX-License-Identifier: Apache-2.0
import { waitFor } from '@chainwatch/testing';
import { addDelivery } from '../../spec-support/portal.ts';
import { startSpecWorld } from '../../spec-support/spec-world.ts';
import type { SpecWorld } from '../../spec-support/spec-world.ts';

let world: SpecWorld;
beforeAll(async () => {
  world = await startSpecWorld();
});
afterAll(() => world.stop());

it('tells no attempt whose outcome the delivery does not know yet', async () => {
  const { body: channel } = await world.api
    .post('/channels')
    .send({ name: 'hook', url: 'https://1.1.1.1/' })
    .expect(201);
  const { body: delivery } = await world.api.post(`/channels/${channel.id}/actions/test`).expect(202);
  const read = () => world.api.get(`/channels/${channel.id}/deliveries/${delivery.id}`).expect(200);

  // Whoever reads stands between the delivery and its attempts while the notifier records one.
  const reading = await world.db.transaction(async (sql) => {
    await sql.query('LOCK TABLE delivery_attempts IN ACCESS EXCLUSIVE MODE');
    const answer = read().then((response) => response);
    await waitFor(
      async () =>
        ((
          await sql.query(
            `SELECT FROM pg_locks WHERE NOT granted AND relation = 'delivery_attempts'::regclass AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`,
          )
        ).rowCount ?? 0) > 0,
      { message: 'the reader to wait for the attempts' },
    );
    await sql.query(
      `WITH a AS (INSERT INTO delivery_attempts (id, delivery_id, number, started_at, duration_ms, status_code, request, response_body)
         VALUES (gen_random_uuid(), $1, 1, now(), 5, 200, '{"method":"POST","url":"https://1.1.1.1/","headers":{}}', 'ok'))
       UPDATE deliveries SET status = 'delivered', attempt_count = 1 WHERE id = $1`,
      [delivery.id],
    );
    return { answer };
  });
  // It waited for the lock with the statement that reads both.
  expect((await reading.answer).body).toMatchObject({
    status: 'delivered',
    attempts: [{ status_code: 200 }],
  });
  expect((await read()).body).toMatchObject({ status: 'delivered', attempts: [{ status_code: 200 }] });
});

it('shows its last attempts, oldest first: no receiver makes an answer that the gateway cannot hold', async () => {
  const { body: channel } = await world.api
    .post('/channels')
    .send({ name: 'x', url: 'https://1.1.1.1/' })
    .expect(201);
  const { id } = await addDelivery(world, { key: world.project.keys.api, channelId: channel.id });
  await world.db.query(
    `INSERT INTO delivery_attempts (id, delivery_id, number, started_at, duration_ms, status_code, request, response_body)
     SELECT gen_random_uuid(), $1, n, now(), 5, 500, '{}', repeat('x', 16384) FROM generate_series(2, 1000) AS n`,
    [id],
  );
  await world.db.query('UPDATE deliveries SET attempt_count = 1000 WHERE id = $1', [id]);
  const { body } = await world.api.get(`/channels/${channel.id}/deliveries/${id}`).expect(200);
  const numbers = body.attempts.map(({ number }: { number: number }) => number);
  expect(numbers).toEqual(Array.from({ length: 100 }, (_, place) => 901 + place));
  expect(body.attempt_count).toBe(1_000);
});

it('answers a burst of one workspace, and another workspace beside it', async () => {
  const { body: channel } = await world.api
    .post('/channels')
    .send({ name: 'burst', url: 'https://1.1.1.1/' })
    .expect(201);
  const { body: delivery } = await world.api.post(`/channels/${channel.id}/actions/test`).expect(202);
  const { body: theirs } = await world.other
    .post('/channels')
    .send({ name: 'theirs', url: 'https://1.1.1.1/' })
    .expect(201);
  // While the burst waits for the table, whoever is beside it is answered.
  const burst = await world.db.transaction(async (sql) => {
    await sql.query('LOCK TABLE delivery_attempts IN ACCESS EXCLUSIVE MODE');
    let answered = 0;
    const asked = Array.from({ length: 150 }, async () => {
      const { status } = await world.api.get(`/channels/${channel.id}/deliveries/${delivery.id}`);
      answered += 1;
      return status;
    });
    await world.other.get(`/channels/${theirs.id}`).expect(200);
    expect(answered).toBe(0);
    return { statuses: Promise.all(asked) };
  });
  expect(new Set(await burst.statuses)).toEqual(new Set([200]));
});
