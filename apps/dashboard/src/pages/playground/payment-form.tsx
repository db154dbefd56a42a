// SPDX-License-Identifier: Apache-2.0
import { useInfiniteQuery, useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { Send } from 'lucide-react';
import { useState } from 'react';
import { api, bodyOf } from '../../api/client.ts';
import { makeAddress, sendCoin, type LocalCoin } from '../../api/playground.ts';
import { addressesQuery, chainsQuery, rowsOf, useChainName } from '../../api/queries.ts';
import { Button } from '../../ui/button.tsx';
import { shorten } from '../../ui/copy.tsx';
import { Select, TextField } from '../../ui/field.tsx';
import { Problem } from '../../ui/notice.tsx';
import type { Family } from '../addresses/families.ts';

export interface SentPayment {
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

export function PaymentForm({ url, coins, onSent }: PaymentFormProps) {
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
