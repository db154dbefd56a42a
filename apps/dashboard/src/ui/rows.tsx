// SPDX-License-Identifier: Apache-2.0
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { classes } from './classes.ts';
import { shorten } from './copy.tsx';

/** An address of the project is a link to its page, any other one is text. */
export function AddressText({
  address,
  isOwn,
  label,
}: {
  readonly address: string | null;
  readonly isOwn: boolean;
  /** What the project calls it. */
  readonly label?: string | null | undefined;
}) {
  if (address === null) return <span className="text-faint">–</span>;
  if (!isOwn)
    return (
      <span title={address} className="font-mono text-[13px] text-soft">
        {shorten(address)}
      </span>
    );
  return (
    <Link
      to="/addresses/$address"
      params={{ address }}
      title={address}
      className="relative z-10 max-w-full min-w-0 truncate rounded bg-accent-wash px-1.5 py-0.5 text-[13px] text-accent-ink hover:underline"
    >
      {label ? `${label} · ` : ''}
      <span className="font-mono">{shorten(address)}</span>
    </Link>
  );
}

/** A row of cards of the same kind. */
export function Tiles({ children }: { readonly children: ReactNode }) {
  return <div className="grid grid-cols-2 gap-3 max-[380px]:grid-cols-1 lg:grid-cols-4">{children}</div>;
}

interface TileProps {
  /** The page that lists what is counted. */
  readonly to?: '/transactions' | '/addresses' | '/channels' | '/events';
  readonly name: string;
  readonly value: ReactNode;
  readonly note?: ReactNode;
}

export function Tile({ to, name, value, note }: TileProps) {
  return (
    <div
      className={classes(
        'relative rounded-xl border border-line bg-panel px-4 py-3 shadow-panel',
        to !== undefined && 'hover:border-line-strong',
      )}
    >
      <p className="text-[13px] text-faint">
        {to === undefined ? (
          name
        ) : (
          <Link to={to} className="after:absolute after:inset-0 after:rounded-xl hover:text-ink">
            {name}
          </Link>
        )}
      </p>
      <p className="mt-1 text-2xl font-semibold tracking-tight tabular-nums">{value}</p>
      <p className="mt-0.5 min-h-5 text-xs text-soft">{note}</p>
    </div>
  );
}
