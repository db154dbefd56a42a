// SPDX-License-Identifier: Apache-2.0
import type { ComponentProps, ReactNode } from 'react';
import { LoaderCircle } from 'lucide-react';
import { classes } from './classes.ts';

const LOOKS = {
  primary: 'bg-accent text-white hover:bg-accent-hover border-transparent shadow-panel',
  secondary: 'bg-panel text-ink hover:bg-hover border-line-strong shadow-panel',
  quiet: 'bg-transparent text-soft hover:text-ink hover:bg-hover border-transparent',
  danger: 'bg-panel text-bad hover:bg-bad-wash border-line-strong shadow-panel',
};

const SHAPE =
  'inline-flex shrink-0 items-center justify-center gap-1.5 rounded-md border font-medium whitespace-nowrap transition-colors';

interface ButtonProps extends ComponentProps<'button'> {
  readonly look?: keyof typeof LOOKS;
  readonly icon?: ReactNode;
  readonly isBusy?: boolean;
  readonly isSmall?: boolean;
}

export function Button({
  look = 'secondary',
  icon,
  isBusy = false,
  isSmall = false,
  className,
  children,
  disabled,
  ...rest
}: ButtonProps) {
  const isIcon = children === undefined;
  return (
    <button
      type="button"
      {...rest}
      disabled={disabled || isBusy}
      className={classes(
        SHAPE,
        'disabled:opacity-55',
        isSmall ? 'h-7 text-[13px]' : 'h-8.5',
        isIcon ? (isSmall ? 'w-7' : 'w-8.5') : isSmall ? 'px-2' : 'px-3',
        LOOKS[look],
        className,
      )}
    >
      {isBusy ? <LoaderCircle aria-hidden className="size-4 animate-spin" /> : icon}
      {children}
    </button>
  );
}

/** Looks like a button, and leads out of these pages. */
export function ButtonLink({
  look = 'secondary',
  className,
  ...rest
}: ComponentProps<'a'> & Pick<ButtonProps, 'look'>) {
  return <a {...rest} className={classes(SHAPE, 'h-8.5 min-w-0 px-3', LOOKS[look], className)} />;
}
