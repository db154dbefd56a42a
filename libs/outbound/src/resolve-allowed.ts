// SPDX-License-Identifier: Apache-2.0
import { lookup as lookupBySystem } from 'node:dns';
import type { Dial } from '@chainwatch/chain-core';
import { UnresolvableHostError } from './errors.ts';

/**
 * The checked address of a host, for a client that opens its own socket. The client must dial this address
 * and no other, or it would dial one that was not checked. `host` may be a literal, without brackets.
 * @throws BlockedAddressError, UnresolvableHostError
 */
export async function resolveAllowed(host: string, dial: Dial, timeoutMs: number): Promise<string> {
  const [first] = await resolveAll(host, dial, timeoutMs);
  return first!.address;
}

export interface Address {
  readonly address: string;
  readonly family: number;
}

/**
 * All addresses of a host, at least one. Without a dial none is checked.
 * @throws BlockedAddressError, UnresolvableHostError
 */
export function resolveAll(
  host: string,
  dial: Dial | undefined,
  timeoutMs: number,
): Promise<readonly Address[]> {
  const lookup = dial?.lookup ?? (lookupBySystem as unknown as Dial['lookup']);
  return new Promise((resolve, reject) => {
    const timer = setTimeout(
      () => reject(new UnresolvableHostError(host, new Error(`no answer in ${timeoutMs} ms`))),
      timeoutMs,
    );
    lookup(host, { all: true }, (error, addresses) => {
      clearTimeout(timer);
      if (error) reject(error);
      else resolve(addresses as unknown as readonly Address[]);
    });
  });
}
