// SPDX-License-Identifier: Apache-2.0
const HOME = '/ui/';
const ANYWHERE = 'http://dashboard.invalid';
/** It goes along in a cookie, of which browsers keep 4,096 bytes. */
const LENGTH_MAX = 1_024;

/** A page of the dashboard, wherever a link wanted to lead. */
export function ownPage(wanted: unknown): string {
  if (typeof wanted !== 'string' || wanted.length > LENGTH_MAX || !URL.canParse(wanted, ANYWHERE))
    return HOME;
  const { origin, pathname, search } = new URL(wanted, ANYWHERE);
  const isOwn = origin === ANYWHERE && /^\/ui\/(?!oidc\/|sign-in)/.test(pathname);
  return isOwn ? `${pathname}${search}` : HOME;
}
