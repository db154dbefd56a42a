// SPDX-License-Identifier: Apache-2.0
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { Link, useParams } from '@tanstack/react-router';
import { Pause, Pencil, Play } from 'lucide-react';
import { QRCodeSVG } from 'qrcode.react';
import { useState } from 'react';
import { api, bodyOf } from '../../api/client.ts';
import { addressQuery, balancesQuery, useSymbol, type Address } from '../../api/queries.ts';
import { useMay } from '../../api/session.ts';
import { Amount } from '../../ui/amount.tsx';
import { Button } from '../../ui/button.tsx';
import { ChainName } from '../../ui/chain-name.tsx';
import { Hash, shorten } from '../../ui/copy.tsx';
import { ExplorerLink } from '../../ui/explorer-link.tsx';
import { Problem, Waiting } from '../../ui/notice.tsx';
import { Fact, Facts, Page, Panel } from '../../ui/panel.tsx';
import { Time } from '../../ui/time.tsx';
import { tell, tellProblem } from '../../ui/toast.tsx';
import { toTitle } from './families.ts';
import { MonitoringBadge, MonitoringWarnings } from './monitoring.tsx';
import { HistoryPanel } from './history-panel.tsx';
import { RecentTransactions } from './recent-transactions.tsx';
import { reasonFor, TextField } from '../../ui/field.tsx';
import { FormModal } from '../../ui/form-modal.tsx';

export function AddressPage() {
  const { address } = useParams({ from: '/shell/addresses/$address' });
  const query = useQuery(addressQuery(address));
  if (query.isPending) return <Waiting rows={10} />;
  if (query.error)
    return (
      <Page title="Address">
        <Problem error={query.error} onRetry={() => void query.refetch()} />
      </Page>
    );
  return <AddressDetail address={query.data} />;
}

function AddressDetail({ address }: { readonly address: Address }) {
  const may = useMay();
  return (
    <Page
      eyebrow={
        <>
          <Link to="/addresses" className="hover:text-ink">
            Addresses
          </Link>{' '}
          / {toTitle(address.chain_family)}
        </>
      }
      title={
        <span className="flex flex-wrap items-center gap-x-3 gap-y-1">
          {address.label ?? <span className="font-mono">{shorten(address.address)}</span>}
          <MonitoringBadge of={address} />
        </span>
      }
      actions={may('api:address:write') && <Actions address={address} />}
    >
      <MonitoringWarnings warnings={address.warnings} />
      <div className="grid grid-cols-[minmax(0,1fr)] items-start gap-5 xl:grid-cols-[minmax(0,1fr)_24rem]">
        <div className="flex min-w-0 flex-col gap-5">
          <Balances address={address.address} />
          {may('api:transaction:read') && <RecentTransactions address={address.address} />}
        </div>
        <div className="flex flex-col gap-5">
          <Panel>
            <div className="flex flex-col items-center gap-3">
              <div className="rounded-lg bg-white p-3">
                <QRCodeSVG
                  value={address.address}
                  size={160}
                  role="img"
                  aria-label={`QR code of ${address.address}`}
                />
              </div>
              <Hash text={address.address} isWhole />
            </div>
          </Panel>
          <Panel title="Details">
            <Details address={address} />
          </Panel>
          <HistoryPanel address={address} />
        </div>
      </div>
    </Page>
  );
}

function Actions({ address }: { readonly address: Address }) {
  const client = useQueryClient();
  const [isEditing, setEditing] = useState(false);
  const pausing = useMutation({
    mutationFn: () =>
      bodyOf(
        api.PATCH('/addresses/{address}', {
          params: { path: { address: address.address } },
          body: { is_monitored: !address.is_monitored },
        }),
      ),
    onSuccess: () => tell(address.is_monitored ? 'Monitoring paused' : 'Monitoring resumed'),
    onError: tellProblem,
    onSettled: () =>
      client.invalidateQueries({
        predicate: ({ queryKey }) => ['address', 'addresses'].includes(String(queryKey[0])),
      }),
  });
  return (
    <>
      <Button icon={<Pencil aria-hidden className="size-4" />} onClick={() => setEditing(true)}>
        Edit
      </Button>
      <Button
        isBusy={pausing.isPending}
        icon={
          address.is_monitored ? (
            <Pause aria-hidden className="size-4" />
          ) : (
            <Play aria-hidden className="size-4" />
          )
        }
        onClick={() => pausing.mutate()}
      >
        {address.is_monitored ? 'Pause' : 'Resume'}
      </Button>
      {isEditing && <EditDialog address={address} onClose={() => setEditing(false)} />}
    </>
  );
}

function Balances({ address }: { readonly address: string }) {
  const query = useQuery(balancesQuery(address));
  return (
    <Panel title="Balances" isFlush>
      {query.error ? (
        <Problem error={query.error} onRetry={() => void query.refetch()} />
      ) : query.isPending ? (
        <Waiting rows={3} />
      ) : query.data.items.length === 0 ? (
        <p className="px-4 py-3 text-[13px] text-soft">
          No balances yet. Assets are listed after the first payment.
        </p>
      ) : (
        <ul className="divide-y divide-line">
          {query.data.items.map((item) => (
            <BalanceLine key={item.asset_gid} item={item} />
          ))}
        </ul>
      )}
    </Panel>
  );
}

interface BalanceItem {
  readonly asset_gid: string;
  readonly total: string | null;
  readonly total_raw: string;
  readonly confirmed: string | null;
  readonly ui_amount: string | null;
}

function BalanceLine({
  item: { asset_gid, total, total_raw: raw, confirmed, ui_amount: shown },
}: {
  readonly item: BalanceItem;
}) {
  const symbol = useSymbol(asset_gid);
  return (
    <li className="flex flex-wrap items-center justify-between gap-x-4 gap-y-1 px-4 py-2.5 text-[13px]">
      <span className="min-w-0">
        <span className="font-medium">{symbol}</span>{' '}
        <ChainName gid={asset_gid.split('/', 1)[0] ?? ''} className="align-bottom text-faint" />
      </span>
      <span className="text-right">
        <Amount value={total} raw={raw} symbol={symbol} />
        {confirmed !== null && confirmed !== total && (
          <span className="block text-xs text-faint">
            confirmed <Amount value={confirmed} symbol="" />
          </span>
        )}
        {shown !== null && (
          <span className="block text-xs text-faint">
            wallets show <Amount value={shown} symbol="" />
          </span>
        )}
      </span>
    </li>
  );
}

function Details({ address }: { readonly address: Address }) {
  return (
    <Facts>
      <Fact name="Family">
        {toTitle(address.chain_family)}
        {address.format !== address.chain_family && `, ${address.format}`}
      </Fact>
      <Fact name="Kind">{address.kind === 'hd' ? `derived, ${address.derivation_path}` : 'imported'}</Fact>
      <Fact name="Groups">
        {address.groups.length === 0 ? (
          <span className="text-faint">none</span>
        ) : (
          <span className="flex flex-wrap gap-1">
            {address.groups.map((group) => (
              <Link
                key={group}
                to="/addresses"
                search={{ groups: [group] }}
                className="rounded bg-sunken px-1.5 py-0.5 text-xs hover:text-accent-ink"
              >
                {group}
              </Link>
            ))}
          </span>
        )}
      </Fact>
      {Object.entries(address.watched_from).map(([gid, block]) => (
        <Fact key={gid} name="Monitored from">
          <ChainName gid={gid} className="align-bottom" />, block {block.toLocaleString()}
          <ExplorerLink chainGid={gid} about={{ address: address.address }} />
        </Fact>
      ))}
      <Fact name="Added">
        <Time at={address.created_at} isLong />
      </Fact>
    </Facts>
  );
}

interface EditDialogProps {
  readonly address: Address;
  readonly onClose: () => void;
}

function EditDialog({ address, onClose }: EditDialogProps) {
  const client = useQueryClient();
  const [label, setLabel] = useState(address.label ?? '');
  const [groups, setGroups] = useState(address.groups.join(', '));
  const saving = useMutation({
    mutationFn: () =>
      bodyOf(
        api.PATCH('/addresses/{address}', {
          params: { path: { address: address.address } },
          body: { label: label.trim() || null, groups: splitGroups(groups) },
        }),
      ),
    onSuccess: async () => {
      await client.invalidateQueries({
        predicate: ({ queryKey }) => ['address', 'addresses'].includes(String(queryKey[0])),
      });
      onClose();
    },
  });
  const reasons = [reasonFor(saving.error, 'label'), reasonFor(saving.error, 'groups')];
  return (
    <FormModal title="Label and groups" onClose={onClose} action="Save" sending={saving} reasons={reasons}>
      <TextField
        label="Label"
        hint="Included in events so your systems can match the payment to a customer."
        autoFocus
        maxLength={255}
        value={label}
        onChange={(event) => setLabel(event.target.value)}
        error={reasons[0]}
      />
      <TextField
        label="Groups"
        hint="Maximum 20, separated by commas. Lists and channels can filter by group."
        value={groups}
        onChange={(event) => setGroups(event.target.value)}
        error={reasons[1]}
      />
    </FormModal>
  );
}

function splitGroups(text: string): string[] {
  const groups = text.split(',').map((group) => group.trim());
  return [...new Set(groups)].filter((group) => group !== '');
}
