// SPDX-License-Identifier: Apache-2.0
import type { AddressFacts } from './event-definition.ts';
import type { ConcernedAddressRecord } from './event-records.ts';

/** What a project says of an address of its own. */
export interface OwnData {
  readonly label: string | null;
  readonly groups: readonly string[];
  /** Undefined: it is longer than an event may carry, and was not read. */
  readonly metadata: Readonly<Record<string, unknown>> | undefined;
}

/** A monitored address that an event is about. */
export interface ConcernedAddress {
  readonly id: string;
  /** The form that is shown. */
  readonly display: string;
  readonly own: OwnData;
}

/** Bytes of JSON, of one address and of all of an event. */
const METADATA_BYTES_MAX = 4_096;
const EVENT_METADATA_BYTES_MAX = 65_536;
/** Of the rest of all addresses of an event. */
const EVENT_ADDRESSES_BYTES_MAX = 262_144;
/** Of each list of an event, so that it fits a message of the bus (1 MiB). More stay in the records. */
export const EVENT_ITEMS_MAX = 100;

/** `data.addresses` of an event (decisions.md §11): the first ones, where all are too many for a message. */
export function describeAddresses(concerned: readonly ConcernedAddress[]): ConcernedAddressRecord[] {
  const described: ConcernedAddressRecord[] = [];
  let bytesLeft = EVENT_METADATA_BYTES_MAX;
  let otherBytesLeft = EVENT_ADDRESSES_BYTES_MAX;
  for (const { id, display, own } of concerned.slice(0, EVENT_ITEMS_MAX)) {
    const { label, groups, metadata } = own;
    otherBytesLeft -= Buffer.byteLength(JSON.stringify([id, display, label, groups]));
    if (otherBytesLeft < 0) break;
    const bytes = metadata === undefined ? Infinity : countBytes(metadata);
    const isCarried = bytes <= Math.min(METADATA_BYTES_MAX, bytesLeft);
    if (isCarried) bytesLeft -= bytes;
    described.push({
      address_id: id,
      address: display,
      label,
      groups: [...groups],
      metadata: isCarried ? { ...metadata } : {},
      metadata_truncated: !isCarried,
    });
  }
  return described;
}

/** Empty metadata takes no room: it is what stands there anyway. */
function countBytes(metadata: object): number {
  return Object.keys(metadata).length === 0 ? 0 : Buffer.byteLength(JSON.stringify(metadata));
}

/** @param ids used where an event of an earlier release names its addresses without more */
export function readAddressFacts(
  addresses: readonly ConcernedAddressRecord[] | undefined,
  ids: readonly string[],
): AddressFacts[] {
  if (addresses === undefined || addresses.length === 0)
    return [...new Set(ids)].map((id) => ({ id, groups: undefined, metadata: undefined }));
  return addresses.map(({ address_id: id, groups, metadata, metadata_truncated: isTruncated }) => ({
    id,
    groups,
    metadata: isTruncated ? undefined : metadata,
  }));
}
