// SPDX-License-Identifier: Apache-2.0
import { startSpecWorld } from '../../spec-support/spec-world.ts';
import type { SpecWorld } from '../../spec-support/spec-world.ts';

describe('the audit log tells what api keys do', () => {
  let world: SpecWorld;
  beforeAll(async () => {
    world = await startSpecWorld();
  });
  afterAll(() => world.stop());

  it('deletions of addresses and channels, rotations and node URLs, once each and without secrets', async () => {
    const { body: address } = await world.api
      .post('/addresses/external')
      .send({ value: '0xd8da6bf26964af9d7eed9e03e53415d37aa96045', chain_family: 'evm', label: 'Cold' })
      .expect(201);
    const { body: channel } = await world.api
      .post('/channels')
      .send({ name: 'Orders', url: 'https://1.1.1.1/hook' })
      .expect(201);
    await world.api.post('/blockchains').send({ chain_gid: 'eip155:31337' }).expect(201);
    await world.api
      .patch('/blockchains/eip155:31337/evm?verify=false')
      .send({ endpoint_url: 'https://1.1.1.1/key-of-the-node' })
      .expect(200);
    const { body: rotated } = await world.api
      .post(`/channels/${channel.id}/webhook-secrets/actions/rotate`)
      .expect(200);
    await world.api.post(`/channels/${channel.id}/webhook-secrets/actions/rotate`).expect(409);
    await world.api.delete(`/channels/${channel.id}/webhook-secrets/previous`).expect(204);
    await world.api.delete(`/channels/${channel.id}/webhook-secrets/previous`).expect(404);
    await world.api.delete(`/addresses/${address.address}`).expect(204);
    await world.api.delete(`/addresses/${address.address}`).expect(404);
    await world.api.delete(`/channels/${channel.id}`).expect(204);
    const { body, text } = await world.management
      .get('/management/audit_logs?sort_by=created_at')
      .expect(200);
    expect(
      body.items.map(({ action, target, changes }: { action: string; target: object; changes: object }) => ({
        action,
        target,
        changes,
      })),
    ).toEqual([
      {
        action: 'workspace.endpoint_updated',
        target: { type: 'workspace', id: world.project.workspaceId },
        changes: {
          chain_gid: { from: null, to: 'eip155:31337' },
          members: { from: null, to: ['endpoint_url'] },
        },
      },
      { action: 'channel.secret_rotated', target: { type: 'channel', id: channel.id }, changes: {} },
      { action: 'channel.secret_overlap_ended', target: { type: 'channel', id: channel.id }, changes: {} },
      {
        action: 'address.deleted',
        target: { type: 'address', id: address.id },
        changes: {
          address: { from: address.address, to: null },
          chain_family: { from: 'evm', to: null },
          label: { from: 'Cold', to: null },
        },
      },
      {
        action: 'channel.deleted',
        target: { type: 'channel', id: channel.id },
        changes: { name: { from: 'Orders', to: null }, kind: { from: 'webhook', to: null } },
      },
    ]);
    for (const secret of ['key-of-the-node', rotated.webhook_secret as string])
      expect(text).not.toContain(secret);
  });
});
