// SPDX-License-Identifier: Apache-2.0
import { useQuery } from '@tanstack/react-query';
import { ExternalLink } from 'lucide-react';
import { networkQuery } from '../api/chain-queries.ts';
import { buildExplorerUrl, type Explored } from '@chainwatch/chain-core/explorer-url';

interface ExplorerLinkProps {
  readonly chainGid: string;
  readonly about: Explored;
}

/** Leads to the explorer of the network; nothing where the network names none. */
export function ExplorerLink({ chainGid, about }: ExplorerLinkProps) {
  const { data } = useQuery(networkQuery(chainGid));
  const url = buildExplorerUrl(data?.explorer, about);
  if (url === undefined) return null;
  const label = `View ${Object.keys(about)[0]!} in the explorer`;
  return (
    <a
      href={url}
      target="_blank"
      rel="noopener noreferrer"
      aria-label={label}
      title={`${label}: ${new URL(url).host}`}
      className="relative z-10 inline-flex size-6 shrink-0 items-center justify-center rounded text-faint hover:bg-hover hover:text-ink"
    >
      <ExternalLink aria-hidden className="size-3.5" />
    </a>
  );
}
