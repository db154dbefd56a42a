// SPDX-License-Identifier: Apache-2.0
import { useChain, type Blockchain } from '../api/queries.ts';
import { classes } from './classes.ts';

const LOGOS = '/logos/';

/** A chain by its logo and its name for people. */
export function ChainName({
  gid,
  name,
  className,
}: {
  readonly gid: string;
  /** Where another service than the API says it. */
  readonly name?: string;
  readonly className?: string;
}) {
  const chain = useChain(gid);
  return (
    <span className={classes('inline-flex max-w-full min-w-0 items-center gap-1.5', className)} title={gid}>
      {chain && <ChainLogo chain={chain} />}
      <span className="min-w-0 truncate">{chain?.display_name ?? name ?? gid}</span>
    </span>
  );
}

/** The name stands beside it. */
export function ChainLogo({
  chain: { image_url: url, display_name: name },
  isLarge = false,
}: {
  readonly chain: Pick<Blockchain, 'image_url' | 'display_name'>;
  readonly isLarge?: boolean;
}) {
  const path = findLogo(url);
  const size = isLarge ? 'size-6' : 'size-4';
  if (path === undefined)
    return (
      <span
        aria-hidden
        className={classes(
          size,
          'inline-flex shrink-0 items-center justify-center rounded-full bg-sunken text-[10px] font-semibold text-soft uppercase',
        )}
      >
        {name.slice(0, 1)}
      </span>
    );
  return (
    <img
      src={path}
      alt=""
      width={24}
      height={24}
      loading="lazy"
      className={classes(size, 'shrink-0 rounded-full')}
    />
  );
}

/** The gateway's own file. The policy of these pages loads no image of another host. */
function findLogo(url: string): string | undefined {
  const { pathname } = new URL(url, location.origin);
  return pathname.startsWith(LOGOS) ? pathname : undefined;
}
