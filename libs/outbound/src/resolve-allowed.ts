import type { Dial } from '@chainwatch/chain-core';
import { UnresolvableHostError } from './errors.ts';

/**
 * The checked address of a host, for a client that opens its own socket. The client must dial this address
 * and no other, or it would dial one that was not checked. `host` may be a literal, without brackets.
 * @throws BlockedAddressError, UnresolvableHostError
 */
export function resolveAllowed(host: string, dial: Dial, timeoutMs: number): Promise<string> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(
      () => reject(new UnresolvableHostError(host, new Error(`no answer in ${timeoutMs} ms`))),
      timeoutMs,
    );
    dial.lookup(host, { all: true }, (error, addresses) => {
      clearTimeout(timer);
      if (error) reject(error);
      else resolve((addresses as unknown as readonly { address: string }[])[0]!.address);
    });
  });
}
