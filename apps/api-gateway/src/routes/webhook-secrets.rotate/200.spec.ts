// SPDX-License-Identifier: Apache-2.0
import { startSpecWorld } from '../../spec-support/spec-world.ts';
import type { SpecWorld } from '../../spec-support/spec-world.ts';

describe('webhook secrets', () => {
  let world: SpecWorld;
  beforeAll(async () => {
    world = await startSpecWorld();
  });
  afterAll(() => world.stop());
  const create = async (): Promise<{ id: string; secret: string }> => {
    const { body } = await world.api
      .post('/channels')
      .send({ name: 'x', url: 'https://1.1.1.1' })
      .expect(201);
    return { id: body.id, secret: body.webhook_secret };
  };

  it.each(['/channels', '/notification_channels'])(
    'rotate at %s: a new one, and both for 24 hours',
    async (mount) => {
      const { id, secret } = await create();
      const path = `${mount}/${id}/webhook-secrets`;
      const before = (await world.api.get(path).expect(200)).body;
      expect(before).toEqual({
        current: {
          id: expect.any(String),
          mask: `svc_whsec_****${secret.slice(-4)}`,
          created_at: expect.any(String),
          last_used_at: null,
        },
        previous: null,
      });
      const { body } = await world.api.post(`${path}/actions/rotate`).expect(200);
      const { webhook_secret: fresh, ...shown } = body;
      expect(fresh).toMatch(/^svc_whsec_[0-9A-Za-z]{30}$/);
      expect(fresh).not.toBe(secret);
      expect(shown.current.mask).toBe(`svc_whsec_****${fresh.slice(-4)}`);
      expect(shown.previous).toMatchObject({ id: before.current.id, mask: before.current.mask });
      expect(Date.parse(shown.previous.expires_at) - Date.parse(shown.previous.rotated_at)).toBe(86_400_000);
      expect((await world.api.get(path).expect(200)).body).toEqual(shown);
      const { rows } = await world.db.query(
        'SELECT id, state, secret_sealed FROM webhook_secrets WHERE channel_id = $1 ORDER BY state',
        [id],
      );
      expect(
        rows.map((row) => [row.state, world.deps.sealer.open(row.secret_sealed, `webhook_secret:${row.id}`)]),
      ).toEqual([
        ['current', fresh],
        ['previous', secret],
      ]);
    },
  );

  it('are 409 while an overlap runs, which ends early or by itself', async () => {
    const { id } = await create();
    const path = `/channels/${id}/webhook-secrets`;
    await world.api.delete(`${path}/previous`).expect(404);
    await world.api.post(`${path}/actions/rotate`).expect(200);
    expect((await world.api.post(`${path}/actions/rotate`).expect(409)).body.detail).toContain(
      'end it first',
    );
    await world.api.delete(`${path}/previous`).expect(204);
    expect((await world.api.get(path).expect(200)).body.previous).toBeNull();
    await world.api.post(`${path}/actions/rotate`).expect(200);
    await world.db.query(
      `UPDATE webhook_secrets SET expires_at = now() WHERE channel_id = $1 AND state = 'previous'`,
      [id],
    );
    expect((await world.api.get(path).expect(200)).body.previous).toBeNull();
    await world.api.delete(`${path}/previous`).expect(404);
    await world.api.post(`${path}/actions/rotate`).expect(200);
  });

  it('of many rotations at once take one', async () => {
    const { id } = await create();
    const answers = await Promise.all(
      [1, 2, 3, 4].map(() => world.api.post(`/channels/${id}/webhook-secrets/actions/rotate`)),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 409, 409, 409]);
  });
});
