// SPDX-License-Identifier: Apache-2.0
import { startSpecWorld } from '../../spec-support/spec-world.ts';
import type { SpecWorld } from '../../spec-support/spec-world.ts';

const ROLES = ['owner', 'admin', 'developer', 'viewer'] as const;
const READ = ['workspace', 'project', 'member', 'key', 'audit', 'quota'].map((noun) => `mgt:${noun}:read`);

/** A role lets whoever has the address in: it is a grant. */
describe('what role a management key may give', () => {
  let world: SpecWorld;
  beforeAll(async () => {
    world = await startSpecWorld();
    await world.management
      .post('/management/members')
      .send({ email: 'first@example.com', role: 'owner' })
      .expect(201);
  });
  afterAll(() => world.stop());

  const makeKey = async (permissions: readonly string[]): Promise<SpecWorld['management']> =>
    world.clientOf(
      (
        await world.management
          .post('/management/keys')
          .send({ type: 'mgt', name: 'k', permissions })
          .expect(201)
      ).body.key,
    );

  it.each<[string, readonly string[], readonly (typeof ROLES)[number][]]>([
    ['members alone', ['mgt:member:write'], []],
    ['members and what can be read, but makes no keys', ['mgt:member:write', ...READ], []],
    ['members and keys, and reads nothing', ['mgt:member:write', 'mgt:key:write'], []],
    ['members and keys, and reads', ['mgt:member:write', 'mgt:key:write', ...READ], ['developer', 'viewer']],
  ])('where it changes %s', async (_name, permissions, given) => {
    const client = await makeKey(permissions);
    const { body: viewer } = await world.management
      .post('/management/members')
      .send({ email: `viewer-${permissions.length}@example.com`, role: 'viewer' })
      .expect(201);
    const { body: owner } = await world.management
      .post('/management/members')
      .send({ email: `owner-${permissions.length}@example.com`, role: 'owner' })
      .expect(201);
    for (const role of ROLES) {
      const email = `${role}-of-${permissions.length}@example.com`;
      const added = await client.post('/management/members').send({ email, role });
      const raised = await client.patch(`/management/members/${viewer.id}`).send({ email, role });
      if (given.includes(role)) {
        expect([added.status, raised.status]).toEqual([201, 409]);
        continue;
      }
      expect([added.status, raised.status]).toEqual([403, 403]);
      expect(added.body.detail).toContain('can only grant its own permissions. This key lacks mgt:');
    }
    // Nor does an owner become somebody else.
    await client.patch(`/management/members/${owner.id}`).send({ email: 'eve@example.com' }).expect(403);
    await client.delete(`/management/members/${owner.id}`).expect(204);
  });

  it('is any role where it holds everything, as an owner does', async () => {
    for (const role of ROLES)
      await world.otherManagement
        .post('/management/members')
        .send({ email: `${role}@example.com`, role })
        .expect(201);
  });
});
