// SPDX-License-Identifier: Apache-2.0
import {
  useQuery,
  useSuspenseQuery,
  useInfiniteQuery,
  useMutation,
  useQueryClient,
} from '@tanstack/react-query';
import { FlaskConical, Send } from 'lucide-react';
import { useState } from 'react';
import { playgroundQuery, makeAddress, sendCoin, type LocalCoin } from '../../api/playground.ts';
import { sessionQuery } from '../../api/session.ts';
import { Empty, Problem, Waiting } from '../../ui/notice.tsx';
import { Page, Panel } from '../../ui/panel.tsx';
import { Link } from '@tanstack/react-router';
import { rowsOf, transactionsQuery, addressesQuery, chainsQuery, useChainName } from '../../api/queries.ts';
import { Amount } from '../../ui/amount.tsx';
import { ChainName } from '../../ui/chain-name.tsx';
import { shorten } from '../../ui/copy.tsx';
import { Status } from '../../ui/status.tsx';
import { api, bodyOf } from '../../api/client.ts';
import { Button } from '../../ui/button.tsx';
import { Select, TextField } from '../../ui/field.tsx';
import type { Family } from '../addresses/families.ts';

/** Coins of the local chains, to see what becomes of a payment. */
export function PlaygroundPage() {
  const { playground_url: url } = useSuspenseQuery(sessionQuery).data;
  const query = useQuery(playgroundQuery(url));
  const [sent, setSent] = useState<readonly SentPayment[]>([]);
  return (
    <Page title="Playground" eyebrow="Local test chains. Coins have no value.">
      {url === null ? (
        <Panel>
          <Empty icon={<FlaskConical />} title="Available on a local stack only">
            npm start runs local test chains with coins to send.
          </Empty>
        </Panel>
      ) : query.error ? (
        <Problem error={query.error} onRetry={() => void query.refetch()} />
      ) : query.isPending ? (
        <Waiting rows={6} />
      ) : (
        <div className="grid grid-cols-[minmax(0,1fr)] items-start gap-5 xl:grid-cols-[24rem_minmax(0,1fr)]">
          <Panel title="Send a test payment">
            <PaymentForm
              url={url}
              coins={query.data}
              onSent={(payment) => setSent((before) => [payment, ...before])}
            />
          </Panel>
          <Panel title="Payments" isFlush>
            {sent.length === 0 ? (
              <Empty icon={<FlaskConical />} title="No payments yet">
                Send a test payment to an address of this project. It is detected, confirmed, and delivered to
                your channels within seconds.
              </Empty>
            ) : (
              <ul aria-label="Payments" className="divide-y divide-line">
                {sent.map((payment) => (
                  <PaymentLine key={payment.hash} payment={payment} />
                ))}
              </ul>
            )}
          </Panel>
        </div>
      )}
    </Page>
  );
}

const LOOK_MS = 1_000;

/** How far a payment has come. */
function PaymentLine({ payment }: { readonly payment: SentPayment }) {
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

interface SentPayment {
  readonly chainGid: string;
  readonly hash: string;
  readonly to: string;
  readonly amount: string;
  readonly symbol: string;
}

const NEW = 'new';

interface PaymentFormProps {
  readonly url: string;
  readonly coins: readonly LocalCoin[];
  readonly onSent: (payment: SentPayment) => void;
}

function PaymentForm({ url, coins, onSent }: PaymentFormProps) {
  const client = useQueryClient();
  const nameOf = useChainName();
  const chains = useQuery(chainsQuery);
  const [gid, setGid] = useState(coins[0]?.chain_gid ?? '');
  const coin = coins.find(({ chain_gid }) => chain_gid === gid);
  const family = chains.data?.items.find((chain) => chain.gid === gid)?.family;
  const addresses = useInfiniteQuery({
    ...addressesQuery({ families: family === undefined ? [] : [family], monitored: 'true' }),
    enabled: family !== undefined,
  });
  const { rows } = rowsOf(addresses.data?.pages);
  const [chosen, setChosen] = useState(NEW);
  const [amount, setAmount] = useState<string>();
  const sending = useMutation({
    mutationFn: async (): Promise<SentPayment> => {
      const { symbol, amount: usual } = coin!;
      const to = chosen === NEW ? await addAddress(await makeAddress(url, gid), family!) : chosen;
      const sent = { to, amount: amount ?? usual };
      return { ...sent, symbol, chainGid: gid, hash: await sendCoin(url, { chain_gid: gid, ...sent }) };
    },
    onSuccess: onSent,
    onSettled: () => client.invalidateQueries({ queryKey: ['addresses'] }),
  });
  return (
    <form
      className="flex flex-col gap-3"
      onSubmit={(event) => {
        event.preventDefault();
        sending.mutate();
      }}
    >
      <Select
        label="Chain"
        value={gid}
        onChange={(event) => {
          setGid(event.target.value);
          setChosen(NEW);
          setAmount(undefined);
        }}
      >
        {coins.map(({ chain_gid }) => (
          <option key={chain_gid} value={chain_gid}>
            {nameOf(chain_gid)}
          </option>
        ))}
      </Select>
      <Select label="To" value={chosen} onChange={(event) => setChosen(event.target.value)}>
        <option value={NEW}>A new address</option>
        {rows.map(({ address, label }) => (
          <option key={address} value={address}>
            {label === null ? shorten(address) : `${label} · ${shorten(address)}`}
          </option>
        ))}
      </Select>
      <TextField
        label={`Amount${coin === undefined ? '' : ` in ${coin.symbol}`}`}
        required
        inputMode="decimal"
        value={amount ?? coin?.amount ?? ''}
        onChange={(event) => setAmount(event.target.value)}
      />
      {sending.error && <Problem error={sending.error} />}
      <Button
        type="submit"
        look="primary"
        className="self-start"
        disabled={coin === undefined || family === undefined}
        isBusy={sending.isPending}
        icon={<Send aria-hidden className="size-4" />}
      >
        Send
      </Button>
    </form>
  );
}

async function addAddress(value: string, family: Family): Promise<string> {
  const body = { value, chain_family: family, label: 'Playground' };
  return (await bodyOf(api.POST('/addresses/external', { body }))).address;
}
