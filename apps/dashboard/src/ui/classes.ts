// SPDX-License-Identifier: Apache-2.0
/** Class names that apply. */
export function classes(...names: readonly (string | false | undefined)[]): string {
  return names.filter(Boolean).join(' ');
}
