// SPDX-License-Identifier: Apache-2.0
import { queryOptions } from '@tanstack/react-query';
import { api, bodyOf } from '../api/client.ts';

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

/** From here on every request has the token, and no cookie. */
export function sendToken(token: string): void {
  api.use({
    onRequest({ request }) {
      const own = new Request(request, { credentials: 'omit' });
      own.headers.set('Authorization', `Bearer ${token}`);
      return own;
    },
  });
}

export const portalQuery = (id: string) =>
  queryOptions({
    queryKey: ['portal', id],
    queryFn: ({ signal }) =>
      bodyOf(
        api.GET('/portal_sessions/{portal_session_id}', {
          params: { path: { portal_session_id: id } },
          signal,
        }),
      ),
    staleTime: Number.POSITIVE_INFINITY,
    refetchInterval: ({ state }) =>
      state.data === undefined ? false : askAgainMs(state.data.expires_at, Date.now()),
  });

const ASK_AGAIN_MS_MIN = 5_000;

/** When the session should have ended: then the API says so, and the page with it. */
export function askAgainMs(expiresAt: string, nowMs: number): number {
  return Math.max(ASK_AGAIN_MS_MIN, Date.parse(expiresAt) - nowMs);
}
