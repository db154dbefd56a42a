// SPDX-License-Identifier: Apache-2.0
import { CircleAlert, RotateCw } from 'lucide-react';
import type { ReactNode } from 'react';
import { ApiError } from '../api/client.ts';
import { Button } from './button.tsx';
import { RequestId } from './copy.tsx';
import { DocsLink } from './docs-link.tsx';

interface ProblemProps {
  readonly error: unknown;
  readonly onRetry?: () => void;
}

/** What went wrong in the API's own words, with the id under which its log has more. */
export function Problem({ error, onRetry }: ProblemProps) {
  const message = error instanceof Error ? error.message : String(error);
  const { requestId, fields } = error instanceof ApiError ? error : { requestId: undefined, fields: [] };
  return (
    <div
      role="alert"
      className="flex items-start gap-3 rounded-lg border border-line bg-bad-wash p-3 text-[13px]"
    >
      <CircleAlert aria-hidden className="mt-0.5 size-4 shrink-0 text-bad" />
      <div className="min-w-0 flex-1">
        <p className="font-medium break-words text-bad">{message}</p>
        {fields.map(({ name, reason }) => (
          <p key={name} className="break-words text-soft">
            <code className="font-mono">{name}</code>: {reason}
          </p>
        ))}
        {requestId !== undefined && <RequestId id={requestId} />}
      </div>
      {onRetry !== undefined && (
        <Button isSmall icon={<RotateCw aria-hidden className="size-3.5" />} onClick={onRetry}>
          Try again
        </Button>
      )}
    </div>
  );
}

interface EmptyProps {
  readonly icon: ReactNode;
  readonly title: string;
  readonly children: ReactNode;
  readonly action?: ReactNode;
  /** The page of the documentation that says more: `guides/webhooks`. */
  readonly docs?: string;
}

/** Nothing there yet: what would be, and the step that brings it. */
export function Empty({ icon, title, children, action, docs }: EmptyProps) {
  return (
    <div className="flex flex-col items-center gap-1.5 px-6 py-14 text-center">
      <div
        aria-hidden
        className="mb-2 flex size-10 items-center justify-center rounded-xl border border-line bg-sunken text-faint [&_svg]:size-5"
      >
        {icon}
      </div>
      <p className="font-medium">{title}</p>
      <p className="max-w-md text-[13px] text-pretty text-soft">{children}</p>
      {action !== undefined && <div className="mt-3">{action}</div>}
      {docs !== undefined && (
        <div className="mt-3">
          <DocsLink page={docs}>Read the documentation</DocsLink>
        </div>
      )}
    </div>
  );
}

/** In place of what is on its way. */
export function Waiting({ rows = 5 }: { readonly rows?: number }) {
  return (
    <div role="status" aria-label="Loading" className="flex flex-col gap-3 p-4">
      {Array.from({ length: rows }, (_, index) => (
        <div key={index} className="h-4 animate-[shimmer_1.4s_ease-in-out_infinite] rounded bg-sunken" />
      ))}
    </div>
  );
}
