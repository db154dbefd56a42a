import type { AddressFacts, TextPiece } from './event-definition.ts';
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

/** `data.addresses` of an event (decisions.md §11). */
export function describeAddresses(concerned: readonly ConcernedAddress[]): ConcernedAddressRecord[] {
  let bytesLeft = EVENT_METADATA_BYTES_MAX;
  return concerned.map(({ id, display, own: { label, groups, metadata } }) => {
    const bytes = metadata === undefined ? Infinity : countBytes(metadata);
    const isCarried = bytes <= Math.min(METADATA_BYTES_MAX, bytesLeft);
    if (isCarried) bytesLeft -= bytes;
    return {
      address_id: id,
      address: display,
      label,
      groups: [...groups],
      metadata: isCarried ? { ...metadata } : {},
      metadata_truncated: !isCarried,
    };
  });
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

/** As its user calls an address. */
export function findLabel(
  addressId: string,
  addresses: readonly ConcernedAddressRecord[] | undefined,
): string | undefined {
  return addresses?.find((one) => one.address_id === addressId)?.label ?? undefined;
}

/** An address for people: as its user calls it, then itself. */
export function nameAddress(
  { address_id: id, address }: { readonly address_id: string; readonly address: string },
  addresses: readonly ConcernedAddressRecord[] | undefined,
): TextPiece[] {
  const label = findLabel(id, addresses);
  return label === undefined ? [{ code: address }] : [`${label} `, { code: address }];
}
