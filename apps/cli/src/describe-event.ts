// SPDX-License-Identifier: Apache-2.0
import type { ChainwatchEvent } from '@chainwatch/sdk';

/** An event as one line of a table. */
export function describeEvent(event: ChainwatchEvent): Record<string, unknown> {
  const data = event.data as {
    readonly transaction?: { readonly chain_gid: string; readonly hash: string };
    readonly chain_gid?: string;
    readonly address?: string;
  };
  return {
    created_at: event.created_at,
    type: event.type,
    chain: data.transaction?.chain_gid ?? data.chain_gid,
    about: data.transaction?.hash ?? data.address,
    event_id: event.event_id,
    test: event.is_test_message ? 'test' : '',
  };
}
