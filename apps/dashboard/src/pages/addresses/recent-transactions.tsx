// SPDX-License-Identifier: Apache-2.0
import { useInfiniteQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { rowsOf, transactionsQuery } from '../../api/queries.ts';
import { shorten } from '../../ui/copy.tsx';
import { Problem, Waiting } from '../../ui/notice.tsx';
import { Panel } from '../../ui/panel.tsx';
import { Status } from '../../ui/status.tsx';
import { Time } from '../../ui/time.tsx';
import { MovedAmounts } from '../transactions/moved-amounts.tsx';

const SHOWN = 10;

export function RecentTransactions({ address }: { readonly address: string }) {
  const query = useInfiniteQuery(transactionsQuery({ address }));
  const { rows, total } = rowsOf(query.data?.pages);
  return (
    <Panel
      title="Transactions"
      isFlush
      aside={
        total > SHOWN && (
          <Link
            to="/transactions"
            search={{ address }}
            className="text-[13px] text-accent-ink hover:underline"
          >
            All {total.toLocaleString()}
          </Link>
        )
      }
    >
      {query.error ? (
        <Problem error={query.error} onRetry={() => void query.refetch()} />
      ) : query.isPending ? (
        <Waiting rows={4} />
      ) : rows.length === 0 ? (
        <p className="px-4 py-3 text-[13px] text-soft">No transactions yet.</p>
      ) : (
        <ul className="divide-y divide-line">
          {rows.slice(0, SHOWN).map((transaction) => (
            <li
              key={transaction.id}
              className="relative flex flex-wrap items-center gap-x-4 gap-y-1 px-4 py-2.5 text-[13px] hover:bg-hover"
            >
              <Link
                to="/transactions/$id"
                params={{ id: transaction.id }}
                className="font-mono after:absolute after:inset-0"
              >
                {shorten(transaction.hash)}
              </Link>
              <Status of={transaction.status} />
              <span className="ml-auto flex items-center gap-4">
                <MovedAmounts transaction={transaction} />
                <span className="text-soft">
                  <Time at={transaction.detected_at} />
                </span>
              </span>
            </li>
          ))}
        </ul>
      )}
    </Panel>
  );
}
