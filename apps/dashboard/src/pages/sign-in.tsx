import { useMutation } from '@tanstack/react-query';
import { useRouter, useSearch } from '@tanstack/react-router';
import { useState } from 'react';
import { ApiError } from '../api/client.ts';
import { chooseProject, findIssuer, rememberProject, sessionQuery, signIn } from '../api/session.ts';
import { Logo } from '../app/logo.tsx';
import { ownPath } from '../app/own-path.ts';
import { queryClient } from '../app/query-client.ts';
import { Button, ButtonLink } from '../ui/button.tsx';
import { TextField } from '../ui/field.tsx';
import { Problem } from '../ui/notice.tsx';

/** Why the issuer's way in was closed, as the gateway says it, and what to do. */
const REASONS = new Map([
  ['cancelled', 'You were not signed in: it was cancelled there.'],
  ['expired', 'That took too long, or was begun in another window: sign in again.'],
  ['refused', 'The answer could not be verified: sign in again. The log of the gateway says more.'],
  ['unverified_email', 'Your account there has no verified e-mail address.'],
  ['unknown_member', 'Nobody here has your e-mail address: ask the owner of your workspace to add you.'],
  ['issuer_away', 'It does not answer at the moment: try again, or sign in with a key.'],
]);

export function SignInPage() {
  const { to, reason = '' } = useSearch({ from: '/sign-in' });
  const issuer = findIssuer();
  const told = REASONS.get(reason);
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
        {told !== undefined && <Refusal>{told}</Refusal>}
        {issuer !== undefined && <IssuerPanel issuer={issuer} to={ownPath(to)} />}
        <form
          className="flex flex-col gap-4 rounded-xl border border-line bg-panel p-6 shadow-panel"
          onSubmit={(event) => {
            event.preventDefault();
            entering.mutate(key.trim());
          }}
        >
          <div>
            <h1 className="text-base font-semibold">{issuer === undefined ? 'Sign in' : 'Or with a key'}</h1>
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
            autoFocus={issuer === undefined}
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
          <Button
            type="submit"
            look={issuer === undefined ? 'primary' : 'secondary'}
            isBusy={entering.isPending}
          >
            Sign in
          </Button>
        </form>
      </div>
    </main>
  );
}

function Refusal({ children }: { readonly children: string }) {
  return (
    <p
      role="alert"
      className="mb-4 rounded-lg border border-line bg-bad-wash p-3 text-[13px] text-pretty text-bad"
    >
      {children}
    </p>
  );
}

function IssuerPanel({ issuer, to }: { readonly issuer: string; readonly to: string }) {
  return (
    <div className="mb-4 rounded-xl border border-line bg-panel p-6 shadow-panel">
      <ButtonLink
        look="primary"
        className="w-full"
        href={`/ui/oidc/start?${new URLSearchParams({ to }).toString()}`}
      >
        <span className="truncate">Sign in with {issuer}</span>
      </ButtonLink>
    </div>
  );
}
