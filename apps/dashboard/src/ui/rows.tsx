import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { shorten } from './copy.tsx';

/** An address of the project is a link to its page, any other one is text. */
export function AddressText({
  address,
  isOwn,
}: {
  readonly address: string | null;
  readonly isOwn: boolean;
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
      className="relative z-10 rounded bg-accent-wash px-1.5 py-0.5 font-mono text-[13px] text-accent-ink hover:underline"
    >
      {shorten(address)}
    </Link>
  );
}

/** A row of cards of the same kind. */
export function Tiles({ children }: { readonly children: ReactNode }) {
  return <div className="grid grid-cols-2 gap-3 max-[380px]:grid-cols-1 lg:grid-cols-4">{children}</div>;
}

interface TileProps {
  readonly name: string;
  readonly value: ReactNode;
  readonly note?: ReactNode;
}

export function Tile({ name, value, note }: TileProps) {
  return (
    <div className="rounded-xl border border-line bg-panel px-4 py-3 shadow-panel">
      <p className="text-[13px] text-faint">{name}</p>
      <p className="mt-1 text-2xl font-semibold tracking-tight tabular-nums">{value}</p>
      <p className="mt-0.5 min-h-5 text-xs text-soft">{note}</p>
    </div>
  );
}
