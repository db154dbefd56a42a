// SPDX-License-Identifier: Apache-2.0
import { useSuspenseQuery } from '@tanstack/react-query';
import { useRouter, useSearch } from '@tanstack/react-router';
import { ChevronRight } from 'lucide-react';
import { rememberWorkspace, sessionQuery } from '../api/session.ts';
import { Logo } from '../app/logo.tsx';
import { ownPath } from '../app/own-path.ts';
import { queryClient } from '../app/query-client.ts';
import { useTitle } from '../ui/use-title.ts';

/** Where a person of several workspaces says which one: nothing was done in any of them yet. */
export function WorkspacesPage() {
  const heading = useTitle();
  const { data: session } = useSuspenseQuery(sessionQuery);
  const { to } = useSearch({ from: '/workspaces' });
  const router = useRouter();
  const choose = (id: string): void => {
    rememberWorkspace(id);
    queryClient.clear();
    router.history.push(ownPath(to));
  };
  return (
    <main className="flex min-h-dvh flex-col items-center justify-center px-4 py-10">
      <div className="w-full max-w-sm">
        <div className="mb-8 flex justify-center text-lg">
          <Logo />
        </div>
        <div className="rounded-xl border border-line bg-panel p-6 shadow-panel">
          <h1 ref={heading} className="text-base font-semibold">
            Choose a workspace
          </h1>
          {session.member && (
            <p className="mt-1 text-[13px] break-words text-soft">You are {session.member.email}.</p>
          )}
          <ul className="mt-4 flex flex-col gap-2">
            {session.workspaces.map(({ id, name }) => (
              <li key={id}>
                <button
                  type="button"
                  onClick={() => choose(id)}
                  className="flex w-full items-center gap-2 rounded-md border border-line px-3 py-2 text-left font-medium hover:bg-hover"
                >
                  <span className="min-w-0 flex-1 break-words">{name}</span>
                  <ChevronRight aria-hidden className="size-4 text-faint" />
                </button>
              </li>
            ))}
          </ul>
        </div>
      </div>
    </main>
  );
}
