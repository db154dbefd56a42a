import type { EventSubjectMatter } from './event-definition.ts';
import { balanceChangedData } from './event-records.ts';
import { shorten } from './shorten.ts';

/** Events about the balance of a monitored address. */
export const balanceEvent: EventSubjectMatter<typeof balanceChangedData> = {
  data: balanceChangedData,
  facts: ({ chain_gid: chainGid, address_id: addressId, asset_gid: assetGid, delta }) => ({
    chainGid,
    direction: delta === null ? undefined : delta.startsWith('-') ? 'out' : 'in',
    addressIds: [addressId],
    moves: [{ assetGid, amount: delta?.replace('-', '') ?? undefined }],
  }),
  lines: (data) => [
    [{ code: data.address }],
    [`${data.previous ?? '?'} → ${data.current} `, { code: data.asset_gid }],
    [`block ${data.block_number} of `, { code: data.chain_gid }],
  ],
  brief: (data) => [[`${data.current} `, { code: data.asset_gid }], [{ code: shorten(data.address) }]],
};
