// SPDX-License-Identifier: Apache-2.0
/** Only back into these pages, wherever a link wanted to lead. */
export function ownPath(to: string | undefined): string {
  if (to === undefined || !/^\/(?![/\\])/.test(to) || to.includes('/sign-in')) return '/ui/';
  return /^\/ui(\/|$)/.test(to) ? to : `/ui${to}`;
}
