// SPDX-License-Identifier: Apache-2.0
import type { Chain } from './chain.ts';
import type { KeySession } from './key-session.ts';

/** An answer that was kept, or came to another call. */
export interface ToldAnswer {
  readonly method: string;
  readonly params: string;
  readonly body: Buffer;
}

/** `head` and `block` of a block reader, or a number that is compared with its own kind. */
export function kindTold(chain: Chain, method: string, params: string): string {
  const reader = chain.rpc.blockReaders.get(method);
  return reader?.kindOf?.(params) ?? reader?.tells ?? 'block';
}

/**
 * Whether a key may see an answer that no node gave to it. If it may, what the answer tells counts as seen.
 * @returns false if the key has seen a newer one
 */
export function maySee(chain: Chain, session: KeySession, { method, params, body }: ToldAnswer): boolean {
  const number = chain.rpc.blockReaders.get(method)?.read(body, params);
  if (number === undefined) return true;
  const kind = kindTold(chain, method, params);
  if (kind === 'head' ? session.isAheadOf(number) : kind !== 'block' && number < session.heightOf(kind))
    return false;
  if (kind !== 'head' && kind !== 'block') session.raise(number, kind);
  else session.raise(number);
  return true;
}
