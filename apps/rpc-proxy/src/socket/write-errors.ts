// SPDX-License-Identifier: Apache-2.0
/**
 * One error for every call of a message that wants an answer, in the shape of the message: an object, or an array for a
 * batch. If the calls could not be read, one object with a null id (JSON-RPC 2.0, section 5). Undefined if no call
 * wants an answer.
 */
export function writeErrors(
  { ids, isBatch }: { readonly ids: readonly (string | undefined)[]; readonly isBatch: boolean },
  error: { readonly code: number; readonly message: string },
): Buffer | undefined {
  const text = JSON.stringify(error);
  const errors = (ids.length === 0 ? ['null'] : ids)
    .filter((id) => id !== undefined)
    .map((id) => `{"jsonrpc":"2.0","id":${id},"error":${text}}`);
  if (errors.length === 0) return undefined;
  return Buffer.from(isBatch && ids.length > 0 ? `[${errors.join(',')}]` : errors[0]!);
}
