// SPDX-License-Identifier: Apache-2.0
import { CircleAlert, CircleCheck } from 'lucide-react';
import { useSyncExternalStore } from 'react';
import { ApiError } from '../api/client.ts';
import { RequestId } from './copy.tsx';

interface Told {
  readonly id: number;
  readonly text: string;
  readonly isProblem: boolean;
  readonly requestId?: string | undefined;
}

const SHOWN_MS = 4_000;
/** Somebody has to read it, and may copy the id. */
const PROBLEM_SHOWN_MS = 15_000;
const listeners = new Set<() => void>();
let told: readonly Told[] = [];
let count = 0;

function change(next: readonly Told[]): void {
  told = next;
  for (const listener of listeners) listener();
}

function show(one: Omit<Told, 'id'>, shownMs: number): void {
  const id = (count += 1);
  change([...told, { ...one, id }]);
  setTimeout(() => change(told.filter((other) => other.id !== id)), shownMs);
}

/** Says in a corner that something was done. */
export function tell(text: string): void {
  show({ text, isProblem: false }, SHOWN_MS);
}

/** Says in a corner that something was not done, and why. */
export function tellProblem(error: Error): void {
  const requestId = error instanceof ApiError ? error.requestId : undefined;
  show({ text: error.message, isProblem: true, requestId }, PROBLEM_SHOWN_MS);
}

function listen(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

export function Toasts() {
  const shown = useSyncExternalStore(listen, () => told);
  return (
    <div
      aria-live="polite"
      className="pointer-events-none fixed right-4 bottom-4 z-50 flex max-w-[calc(100vw-2rem)] flex-col gap-2 sm:max-w-md"
    >
      {shown.map(({ id, text, isProblem, requestId }) => (
        <div
          key={id}
          className="pointer-events-auto flex animate-[rise_0.16s_ease-out] items-start gap-2 rounded-lg border border-line bg-raised px-3.5 py-2.5 text-[13px] shadow-lifted"
        >
          {isProblem ? (
            <CircleAlert aria-hidden className="mt-0.5 size-4 shrink-0 text-bad" />
          ) : (
            <CircleCheck aria-hidden className="mt-0.5 size-4 shrink-0 text-ok" />
          )}
          <div className="min-w-0">
            <p className="break-words">{text}</p>
            {requestId !== undefined && <RequestId id={requestId} />}
          </div>
        </div>
      ))}
    </div>
  );
}
