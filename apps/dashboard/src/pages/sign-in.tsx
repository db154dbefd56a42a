import { useMutation } from '@tanstack/react-query';
import { useRouter, useSearch } from '@tanstack/react-router';
import { useState } from 'react';
import { ApiError } from '../api/client.ts';
import { rememberProject, sessionQuery, signIn, chooseProject } from '../api/session.ts';
import { Logo } from '../app/logo.tsx';
import { queryClient } from '../app/query-client.ts';
import { Button } from '../ui/button.tsx';
import { TextField } from '../ui/field.tsx';
import { Problem } from '../ui/notice.tsx';

export function SignInPage() {
  const { to } = useSearch({ from: '/sign-in' });
  const router = useRouter();
  const [key, setKey] = useState('');
  const entering = useMutation({
    mutationFn: signIn,
    onSuccess: (session) => {
      rememberProject(chooseProject(session)?.id);
      queryClient.clear();
      queryClient.setQueryData(sessionQuery.queryKey, session);
      router.history.push(ownPath(to));
    },
  });
  const isRefused = entering.error instanceof ApiError && entering.error.status === 401;
  return (
    <main className="flex min-h-dvh flex-col items-center justify-center px-4 py-10">
      <div className="w-full max-w-sm">
        <div className="mb-8 flex justify-center text-lg">
          <Logo />
        </div>
        <form
          className="flex flex-col gap-4 rounded-xl border border-line bg-panel p-6 shadow-panel"
          onSubmit={(event) => {
            event.preventDefault();
            entering.mutate(key.trim());
          }}
        >
          <div>
            <h1 className="text-base font-semibold">Sign in</h1>
            <p className="mt-1 text-[13px] text-pretty text-soft">
              With the API key of a project, or with a management key for all projects of a workspace.
            </p>
          </div>
          <TextField
            label="Key"
            type="password"
            name="key"
            placeholder="svc_…"
            required
            autoFocus
            autoComplete="current-password"
            className="font-mono"
            value={key}
            onChange={(event) => setKey(event.target.value)}
            error={
              isRefused ? 'No key of this installation: check that it is whole, and not revoked.' : undefined
            }
            hint="It is kept for 12 hours in a cookie that no script can read."
          />
          {entering.error && !isRefused && <Problem error={entering.error} />}
          <Button type="submit" look="primary" isBusy={entering.isPending}>
            Sign in
          </Button>
        </form>
      </div>
    </main>
  );
}

/** Only back into these pages, wherever a link wanted to lead. */
function ownPath(to: string | undefined): string {
  if (to === undefined || !/^\/(?![/\\])/.test(to) || to.includes('/sign-in')) return '/ui/';
  return /^\/ui(\/|$)/.test(to) ? to : `/ui${to}`;
}
