// SPDX-License-Identifier: Apache-2.0
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { transactionQuery, type Transaction } from '../../api/queries.ts';
import { ChainName } from '../../ui/chain-name.tsx';
import { shorten } from '../../ui/copy.tsx';
import { Problem, Waiting } from '../../ui/notice.tsx';
import { Page } from '../../ui/panel.tsx';
import { Status } from '../../ui/status.tsx';

interface TransactionFrameProps {
  readonly id: string;
  readonly children: (transaction: Transaction) => ReactNode;
}

/** What stands around each page of a transaction: its hash, its status, and the other page. */
export function TransactionFrame({ id, children }: TransactionFrameProps) {
  const query = useQuery(transactionQuery(id));
  if (query.isPending) return <Waiting rows={10} />;
  if (query.error)
    return (
      <Page title="Transaction">
        <Problem error={query.error} onRetry={() => void query.refetch()} />
      </Page>
    );
  const { chain_gid, hash, status } = query.data;
  return (
    <Page
      eyebrow={
        <>
          <Link to="/transactions" className="hover:text-ink">
            Transactions
          </Link>{' '}
          / <ChainName gid={chain_gid} className="align-bottom" />
        </>
      }
      title={
        <span className="flex flex-wrap items-center gap-x-3 gap-y-1">
          <span className="font-mono">{shorten(hash)}</span>
          <Status of={status} />
        </span>
      }
    >
      <nav aria-label="Views of the transaction" className="-mt-2 flex gap-1 border-b border-line">
        <Link to="/transactions/$id" params={{ id }} activeOptions={{ exact: true }} {...TAB}>
          Trace
        </Link>
        <Link to="/transactions/$id/proof" params={{ id }} {...TAB}>
          Proof
        </Link>
      </nav>
      {children(query.data)}
    </Page>
  );
}

const TAB = {
  className: '-mb-px border-b-2 px-3 py-2 text-[13px] font-medium',
  activeProps: { className: 'border-accent text-ink' },
  inactiveProps: { className: 'border-transparent text-soft hover:text-ink' },
};
