import { CircleCheck } from 'lucide-react';
import { useSyncExternalStore } from 'react';

interface Told {
  readonly id: number;
  readonly text: string;
}

const SHOWN_MS = 4_000;
const listeners = new Set<() => void>();
let told: readonly Told[] = [];
let count = 0;

function change(next: readonly Told[]): void {
  told = next;
  for (const listener of listeners) listener();
}

/** Says in a corner that something was done. */
export function tell(text: string): void {
  const id = (count += 1);
  change([...told, { id, text }]);
  setTimeout(() => change(told.filter((one) => one.id !== id)), SHOWN_MS);
}

function listen(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

export function Toasts() {
  const shown = useSyncExternalStore(listen, () => told);
  return (
    <div aria-live="polite" className="pointer-events-none fixed right-4 bottom-4 z-50 flex flex-col gap-2">
      {shown.map(({ id, text }) => (
        <p
          key={id}
          className="flex animate-[rise_0.16s_ease-out] items-center gap-2 rounded-lg border border-line bg-raised px-3.5 py-2.5 text-[13px] shadow-lifted"
        >
          <CircleCheck aria-hidden className="size-4 text-ok" />
          {text}
        </p>
      ))}
    </div>
  );
}
