// SPDX-License-Identifier: Apache-2.0
export function describeError(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
