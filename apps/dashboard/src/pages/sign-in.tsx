// SPDX-License-Identifier: Apache-2.0
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
  ['cancelled', 'Sign-in was canceled at the identity provider.'],
  ['expired', 'The sign-in expired, or started in another window. Sign in again.'],
  [
    'refused',
    'The answer of the identity provider could not be verified. Sign in again. The gateway log has details.',
  ],
  ['unverified_email', 'Your account at the identity provider has no verified e-mail address.'],
  ['unknown_member', 'No member has your e-mail address. Ask the owner of your workspace to add you.'],
  ['issuer_away', 'The identity provider does not respond. Try again, or sign in with a key.'],
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
              Use the API key of a project, or a management key for all projects of a workspace.
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
              isRefused
                ? 'Invalid key. Check that you copied all of it and that it has not been revoked.'
                : undefined
            }
            hint="Stored for 12 hours in a cookie that scripts cannot read."
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
