// SPDX-License-Identifier: Apache-2.0
import { toAddress } from '../../../libs/chain-tron/src/to-address.ts';

/** Members that are addresses, and members that are texts, as java-tron's HttpSelfFormatFieldName lists them. */
const ADDRESSES: ReadonlySet<string> = new Set([
  'owner_address',
  'to_address',
  'account_address',
  'receiver_address',
  'contract_address',
  'origin_address',
  'witness_address',
  'address',
]);
const TEXTS: ReadonlySet<string> = new Set(['asset_name', 'abbr', 'description', 'url', 'message']);

/** What the API answers to `visible: true`: addresses as `T…`, names and messages as texts. */
export function showVisible(json: unknown): unknown {
  if (Array.isArray(json)) return json.map(showVisible);
  if (typeof json !== 'object' || json === null) return json;
  const isAsset = 'total_supply' in json;
  return Object.fromEntries(
    Object.entries(json).map(([name, value]) => [name, showMember(name, value, isAsset)]),
  );
}

function showMember(name: string, value: unknown, isAsset: boolean): unknown {
  if (name === 'visible') return true;
  // Logs hold 20 bytes, which stay digits.
  if (ADDRESSES.has(name) && typeof value === 'string' && /^41[0-9a-f]{40}$/.test(value))
    return toAddress(value.slice(2));
  if ((TEXTS.has(name) || (isAsset && name === 'name')) && typeof value === 'string')
    return Buffer.from(value, 'hex').toString();
  return showVisible(value);
}
