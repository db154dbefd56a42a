// SPDX-License-Identifier: Apache-2.0
/** What the address of the page says. */
interface OpenedPortal {
  readonly sessionId: string;
  /** Undefined where the page was loaded again: the token was in memory alone. */
  readonly token: string | undefined;
  readonly theme: 'light' | 'dark' | undefined;
}

/** `/ui/portal/<id>#<token>&theme=dark` */
export function readAddress({ pathname, hash }: Pick<Location, 'pathname' | 'hash'>): OpenedPortal {
  const [token = '', ...options] = hash.slice(1).split('&');
  const theme = new URLSearchParams(options.join('&')).get('theme');
  return {
    sessionId: pathname.split('/')[3] ?? '',
    token: token === '' ? undefined : token,
    theme: theme === 'light' || theme === 'dark' ? theme : undefined,
  };
}
