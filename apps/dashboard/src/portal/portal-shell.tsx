// SPDX-License-Identifier: Apache-2.0
import { useQuery } from '@tanstack/react-query';
import { Outlet } from '@tanstack/react-router';
import { MayContext } from '../api/session.ts';
import { Problem, Waiting } from '../ui/notice.tsx';
import { portalQuery } from './portal-api.ts';
import { PortalEnd } from './portal-end.tsx';

/** What stands around every page of a portal: nothing but what it may do. */
export function PortalShell({ sessionId }: { readonly sessionId: string }) {
  const query = useQuery(portalQuery(sessionId));
  const granted: readonly string[] = query.data?.permissions ?? [];
  return (
    <MayContext value={(permission) => granted.includes(permission)}>
      <div className="flex min-h-dvh flex-col">
        <main id="content" className="flex-1">
          {query.isPending ? (
            <Waiting rows={8} />
          ) : query.error ? (
            <div className="p-4">
              <Problem error={query.error} onRetry={() => void query.refetch()} />
            </div>
          ) : (
            <Outlet />
          )}
        </main>
        {query.data && <PortalEnd at={query.data.expires_at} />}
      </div>
    </MayContext>
  );
}
