// SPDX-License-Identifier: Apache-2.0
import type { z } from 'zod';
import { readAddressFacts } from './describe-addresses.ts';
import type { EventSubjectMatter } from './event-definition.ts';
import { balanceChangedData } from './event-records.ts';
import { exampleAddress } from './example-address.ts';

/** Events about the balance of a monitored address. */
export const balanceEvent: EventSubjectMatter<typeof balanceChangedData> = {
  matter: 'balance',
  data: balanceChangedData,
  facts: ({
    chain_gid: chainGid,
    address_id: addressId,
    asset_gid: assetGid,
    delta,
    delta_raw: deltaRaw = delta,
    changes,
    addresses,
    verification,
  }) => ({
    chainGid,
    verification,
    reasons: changes?.map(({ reason }) => reason),
    direction: deltaRaw === null ? undefined : deltaRaw.startsWith('-') ? 'out' : 'in',
    addresses: readAddressFacts(addresses, [addressId]),
    // Without a balance before nothing is known to have moved.
    moves: [{ assetGid, amount: deltaRaw === null ? null : delta?.replace('-', '') }],
  }),
};

const ADDRESS = '0x000000000000000000000000000000000000dEaD';

/** A made-up balance of an address. */
export function exampleBalance(addressId: string): z.output<typeof balanceChangedData> {
  return {
    address_id: addressId,
    address: ADDRESS,
    chain_gid: 'eip155:1',
    asset_gid: 'eip155:1/slip44:60',
    previous: '0',
    current: '1',
    delta: '1',
    changes: [{ reason: 'transfer', amount: '1', amount_raw: '1000000000000000000' }],
    current_raw: '1000000000000000000',
    delta_raw: '1000000000000000000',
    block_number: 21_000_000,
    block_hash: `0x${'0'.repeat(64)}`,
    is_confirmed: false,
    verification: null,
    addresses: [exampleAddress(addressId, ADDRESS)],
  };
}
