import type { z } from 'zod';
import { findLabel, nameAddress, readAddressFacts } from './describe-addresses.ts';
import type { EventSubjectMatter } from './event-definition.ts';
import { balanceChangedData } from './event-records.ts';
import { exampleAddress } from './example-address.ts';
import { shorten } from './shorten.ts';

/** Events about the balance of a monitored address. */
export const balanceEvent: EventSubjectMatter<typeof balanceChangedData> = {
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
  lines: (data) => [
    nameAddress(data, data.addresses),
    [`${data.previous ?? '?'} → ${currentOf(data)} `, { code: data.asset_gid }],
    [`block ${data.block_number} of `, { code: data.chain_gid }],
  ],
  brief: (data) => [
    [`${currentOf(data)} `, { code: data.asset_gid }],
    [findLabel(data.address_id, data.addresses) ?? { code: shorten(data.address) }],
  ],
};

function currentOf({ current, current_raw: raw = '?' }: z.output<typeof balanceChangedData>): string {
  return current ?? `${raw} base units`;
}

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
