// SPDX-License-Identifier: Apache-2.0
import type { ConcernedAddressRecord } from './event-records.ts';

/** A made-up address of test messages. */
export function exampleAddress(id: string, address: string): ConcernedAddressRecord {
  return {
    address_id: id,
    address,
    label: 'Example',
    groups: ['examples'],
    metadata: { customer_id: '1042' },
    metadata_truncated: false,
  };
}
