// SPDX-License-Identifier: Apache-2.0
import { gauge } from '@chainwatch/telemetry';

const open = gauge('chainwatch_chain_incidents_open', {
  description: "Kinds of content in the chain's blocks that this release does not know.",
});

export function recordIncidents(chainGid: string, count: number): void {
  open.set(count, { chain_gid: chainGid });
}

/** The chain's next owner tells it. */
export function forgetIncidents(chainGid: string): void {
  open.forget({ chain_gid: chainGid });
}
