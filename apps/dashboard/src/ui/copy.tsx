// SPDX-License-Identifier: Apache-2.0
import { Check, Copy, type LucideIcon } from 'lucide-react';
import { useEffect, useState } from 'react';
import { Button } from './button.tsx';
import { classes } from './classes.ts';

/** Copies a text, and says so for a moment. */
export function CopyButton({ text, label }: { readonly text: string; readonly label: string }) {
  const { isCopied, copy } = useCopy(text);
  return (
    <button
      type="button"
      aria-label={isCopied ? 'Copied' : label}
      title={isCopied ? 'Copied' : label}
      onClick={copy}
      className="inline-flex size-6 shrink-0 items-center justify-center rounded text-faint hover:bg-hover hover:text-ink"
    >
      {isCopied ? (
        <Check aria-hidden className="size-3.5 text-ok" />
      ) : (
        <Copy aria-hidden className="size-3.5" />
      )}
    </button>
  );
}

interface CopyActionProps {
  readonly text: string;
  /** What the button says. */
  readonly children: string;
  readonly icon: LucideIcon;
  readonly isSmall?: boolean;
}

/** The same as a button with words. */
export function CopyAction({ text, children, icon: Icon, isSmall = false }: CopyActionProps) {
  const { isCopied, copy } = useCopy(text);
  const size = isSmall ? 'size-3.5' : 'size-4';
  return (
    <Button
      isSmall={isSmall}
      onClick={copy}
      icon={
        isCopied ? (
          <Check aria-hidden className={classes(size, 'text-ok')} />
        ) : (
          <Icon aria-hidden className={size} />
        )
      }
    >
      {isCopied ? 'Copied' : children}
    </Button>
  );
}

function useCopy(text: string): { readonly isCopied: boolean; readonly copy: () => void } {
  const [isCopied, setCopied] = useState(false);
  useEffect(() => {
    if (!isCopied) return undefined;
    const timer = setTimeout(() => setCopied(false), 1_600);
    return () => clearTimeout(timer);
  }, [isCopied]);
  // In a frame the page around it may not allow this: then nothing was copied, and nothing says so.
  const copy = (): void =>
    void navigator.clipboard.writeText(text).then(
      () => setCopied(true),
      () => undefined,
    );
  return { isCopied, copy };
}

/** Under which the log of the API has more of what went wrong. */
export function RequestId({ id }: { readonly id: string }) {
  return (
    <p className="mt-1 flex flex-wrap items-center text-soft">
      Request&nbsp;<code className="font-mono break-all">{id}</code>
      <CopyButton text={id} label="Copy request ID" />
    </p>
  );
}

/** A long id: its middle is left out on the screen, not in what is copied. */
export function Hash({ text, isWhole = false }: { readonly text: string; readonly isWhole?: boolean }) {
  return (
    <span className="inline-flex min-w-0 items-center gap-0.5">
      <span
        title={text}
        className={classes('font-mono text-[13px]', isWhole ? 'break-all' : 'whitespace-nowrap')}
      >
        {isWhole ? text : shorten(text)}
      </span>
      <CopyButton text={text} label={`Copy ${shorten(text)}`} />
    </span>
  );
}

export function shorten(text: string): string {
  return text.length <= 20 ? text : `${text.slice(0, 9)}…${text.slice(-7)}`;
}
