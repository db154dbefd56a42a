// SPDX-License-Identifier: Apache-2.0
import '../../spec-support/page-request.ts';
import { listSteps } from './first-steps.tsx';

const channels = { active: 0, failing: 0, failed: 0, archived: 0 };
const deliveries = { pending: 0, delivered: 0, failed: 0, held: 0, discarded: 0 };
const read = (stats: object) =>
  listSteps({ address_count: 0, channels, deliveries, ...stats } as Parameters<typeof listSteps>[0]);

it('ticks each step by what the project has', () => {
  expect(read({})).toEqual({ address: false, channel: false, event: false, verified: false });
  expect(read({ address_count: 2 })).toMatchObject({ address: true, channel: false });
  expect(read({ channels: { ...channels, failing: 1 } })).toMatchObject({ channel: true, event: false });
  expect(read({ channels: { ...channels, archived: 1 } })).toMatchObject({ channel: false });
  expect(read({ deliveries: { ...deliveries, failed: 1 } })).toMatchObject({ event: true, verified: false });
  expect(read({ deliveries: { ...deliveries, delivered: 1 } })).toMatchObject({
    event: true,
    verified: true,
  });
});

it('says nothing where a permission is missing', () => {
  expect(read({ address_count: null })).toBeUndefined();
  expect(read({ channels: null })).toBeUndefined();
  expect(read({ deliveries: null })).toBeUndefined();
});
