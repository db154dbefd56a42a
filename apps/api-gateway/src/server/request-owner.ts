// SPDX-License-Identifier: Apache-2.0
import { AsyncLocalStorage } from 'node:async_hooks';
import type { RouteReply } from '@chainwatch/platform/http';

const owners = new AsyncLocalStorage<string>();

/** The workspace whose request is carried out here; undefined: the service works for itself. */
export function findRequestOwner(): string | undefined {
  return owners.getStore();
}

/** Carries a request out in the name of its workspace, its stream included. */
export async function runForOwner(workspaceId: string, work: () => Promise<RouteReply>): Promise<RouteReply> {
  const reply = await owners.run(workspaceId, work);
  const { stream } = reply;
  if (stream === undefined) return reply;
  return { ...reply, stream: (res) => owners.run(workspaceId, () => stream(res)) };
}
