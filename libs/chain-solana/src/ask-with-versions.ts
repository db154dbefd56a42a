// SPDX-License-Identifier: Apache-2.0
import { ChainClientError } from '@chainwatch/chain-core';
import type { Session } from './session.ts';

const UNSUPPORTED_VERSION = -32015;
/** A version is one byte. */
const VERSION_MAX = 255;

/**
 * A request about a block with the highest transaction version to accept. A node refuses whole blocks with a
 * higher one, and the version is then raised to the one that it names. Remembered for the life of the client.
 */
export async function askWithVersions<T>(
  session: Session,
  ask: (maxSupportedTransactionVersion: number) => Promise<T>,
): Promise<T> {
  for (;;) {
    const asked = session.versions.max;
    try {
      return await ask(asked);
    } catch (error) {
      const wanted = findWanted(error);
      if (wanted === undefined || wanted <= asked) throw error;
      session.versions.max = Math.max(session.versions.max, wanted);
    }
  }
}

function findWanted(error: unknown): number | undefined {
  if (!(error instanceof ChainClientError) || error.nodeCode !== UNSUPPORTED_VERSION) return undefined;
  const told = /"?maxSupportedTransactionVersion\\*"?: ?(\d{1,3})/.exec(error.message)?.[1];
  return told === undefined ? VERSION_MAX : Math.min(Number(told), VERSION_MAX);
}
