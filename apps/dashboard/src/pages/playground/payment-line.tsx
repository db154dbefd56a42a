// SPDX-License-Identifier: Apache-2.0
import { useInfiniteQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { rowsOf, transactionsQuery } from '../../api/queries.ts';
import { Amount } from '../../ui/amount.tsx';
import { ChainName } from '../../ui/chain-name.tsx';
import { shorten } from '../../ui/copy.tsx';
import { Status } from '../../ui/status.tsx';
import type { SentPayment } from './payment-form.tsx';

const LOOK_MS = 1_000;

/** How far a payment has come. */
export function PaymentLine({ payment }: { readonly payment: SentPayment }) {
  const { chainGid, hash, to, amount, symbol } = payment;
  const query = useInfiniteQuery({
    ...transactionsQuery({ chains: [chainGid], hash }),
    refetchInterval: ({ state }) =>
      rowsOf(state.data?.pages).rows[0]?.status === 'confirmed' ? false : LOOK_MS,
  });
  const [transaction] = rowsOf(query.data?.pages).rows;
  return (
    <li className="flex flex-wrap items-center gap-x-4 gap-y-1 px-4 py-2.5 text-[13px]">
      <ChainName gid={chainGid} className="font-medium" />
      <Amount value={amount} symbol={symbol} />
      <span className="text-soft">
        to <span className="font-mono">{shorten(to)}</span>
      </span>
      <span className="ml-auto flex items-center gap-3">
        {transaction === undefined ? (
          <span className="text-soft">Sent, not detected yet</span>
        ) : (
          <>
            <span className="text-soft tabular-nums">
              {Math.min(transaction.confirmations, transaction.required_confirmations)} of{' '}
              {transaction.required_confirmations}
            </span>
            <Status of={transaction.status} />
            <Link
              to="/transactions/$id"
              params={{ id: transaction.id }}
              className="font-medium text-accent-ink hover:underline"
            >
              View payment
            </Link>
          </>
        )}
      </span>
    </li>
  );
}
