// SPDX-License-Identifier: Apache-2.0
import { readAddress } from './opened-portal.ts';

const ID = '6f1d1f4e-0000-4000-8000-000000000001';

it.each([
  [`/ui/portal/${ID}`, '#svc_portal_x', [ID, 'svc_portal_x', undefined]],
  [`/ui/portal/${ID}/channels/1`, '#svc_portal_x&theme=dark', [ID, 'svc_portal_x', 'dark']],
  [`/ui/portal/${ID}/`, '#svc_portal_x&other=1&theme=light', [ID, 'svc_portal_x', 'light']],
  [`/ui/portal/${ID}`, '#svc_portal_x&theme=pink', [ID, 'svc_portal_x', undefined]],
  [`/ui/portal/${ID}`, '', [ID, undefined, undefined]],
  [`/ui/portal/${ID}`, '#', [ID, undefined, undefined]],
  ['/ui/portal', '#svc_portal_x', ['', 'svc_portal_x', undefined]],
])('reads %s%s', (pathname, hash, [sessionId, token, theme]) => {
  expect(readAddress({ pathname, hash })).toEqual({ sessionId, token, theme });
});
