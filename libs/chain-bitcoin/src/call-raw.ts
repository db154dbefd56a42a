// SPDX-License-Identifier: Apache-2.0
import { isInvalidParams } from './classify-node-error.ts';
import type { Session } from './session.ts';

/** A call whose second parameter asks for bytes: 0, or `false` where the node takes booleans only. */
export async function callRaw(
  { rpc, capabilities }: Session,
  { method, hash, signal }: { readonly method: string; readonly hash: string; readonly signal?: AbortSignal },
): Promise<unknown> {
  const form = capabilities.rawForm;
  try {
    return await rpc.call(method, [hash, form], { signal });
  } catch (error) {
    if (!isInvalidParams(error)) throw error;
    const other = form === 0 ? false : 0;
    const result = await rpc.call(method, [hash, other], { signal });
    capabilities.rawForm = other;
    return result;
  }
}
