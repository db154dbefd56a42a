// SPDX-License-Identifier: Apache-2.0
import { useInfiniteQuery, useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { Link, useParams } from '@tanstack/react-router';
import { ListPlus, Pencil, Plus, Wallet } from 'lucide-react';
import { useState } from 'react';
import { api, bodyOf } from '../../api/client.ts';
import {
  derivedAddressesQuery,
  publicKeyQuery,
  type HdAddress,
  type PublicKey,
} from '../../api/public-key-queries.ts';
import { rowsOf } from '../../api/queries.ts';
import { useMay } from '../../api/session.ts';
import { Button } from '../../ui/button.tsx';
import { ChainName } from '../../ui/chain-name.tsx';
import { Hash, shorten } from '../../ui/copy.tsx';
import { LoadedTable } from '../../ui/loaded-table.tsx';
import { Empty, Problem, Waiting } from '../../ui/notice.tsx';
import { Fact, Facts, Page, Panel } from '../../ui/panel.tsx';
import { Badge } from '../../ui/status.tsx';
import { ROW_LINK, type Column } from '../../ui/table.tsx';
import { TextDialog } from '../../ui/text-dialog.tsx';
import { Time } from '../../ui/time.tsx';
import { tellProblem } from '../../ui/toast.tsx';
import { MonitoringWarnings, tellMonitored } from '../addresses/monitoring.tsx';
import { GapBar } from './gap-bar.tsx';
import { reasonFor, Select, TextField } from '../../ui/field.tsx';
import { FormModal } from '../../ui/form-modal.tsx';

export function PublicKeyPage() {
  const { id } = useParams({ from: '/shell/public-keys/$id' });
  const query = useQuery(publicKeyQuery(id));
  if (query.isPending) return <Waiting rows={10} />;
  if (query.error)
    return (
      <Page title="Public key">
        <Problem error={query.error} onRetry={() => void query.refetch()} />
      </Page>
    );
  const publicKey = query.data;
  return (
    <Page
      eyebrow={
        <Link to="/public-keys" className="hover:text-ink">
          Public keys
        </Link>
      }
      title={publicKey.label ?? publicKey.fingerprint}
      actions={<Actions publicKey={publicKey} />}
    >
      <div className="grid grid-cols-[minmax(0,1fr)] items-start gap-5 xl:grid-cols-[minmax(0,1fr)_24rem]">
        <Addresses publicKey={publicKey} />
        <Panel title="Details">
          <Details publicKey={publicKey} />
        </Panel>
      </div>
    </Page>
  );
}

function Actions({ publicKey: { id, label, next_index } }: { readonly publicKey: PublicKey }) {
  const client = useQueryClient();
  const may = useMay();
  const [isNaming, setNaming] = useState(false);
  const path = { public_key_id: id };
  const refresh = () => client.invalidateQueries({ queryKey: ['public-keys'] });
  const deriving = useMutation({
    mutationFn: () =>
      bodyOf(api.POST('/public_keys/{public_key_id}/addresses/next', { params: { path }, body: {} })),
    onSuccess: ({ address, warnings }) => tellMonitored(`${shorten(address)} is monitored`, { warnings }),
    onError: tellProblem,
    onSettled: refresh,
  });
  return (
    <>
      {may('api:public_key:write') && (
        <Button icon={<Pencil aria-hidden className="size-4" />} onClick={() => setNaming(true)}>
          Label
        </Button>
      )}
      {may('api:address:write') && next_index !== null && (
        <Button
          look="primary"
          isBusy={deriving.isPending}
          icon={<Plus aria-hidden className="size-4" />}
          onClick={() => deriving.mutate()}
        >
          Next address
        </Button>
      )}
      {isNaming && (
        <TextDialog
          title="Label"
          label="Label"
          member="label"
          value={label ?? ''}
          save={async (text) => {
            await bodyOf(
              api.PATCH('/public_keys/{public_key_id}', { params: { path }, body: { label: text || null } }),
            );
            await refresh();
          }}
          onClose={() => setNaming(false)}
        />
      )}
    </>
  );
}

function Addresses({ publicKey }: { readonly publicKey: PublicKey }) {
  const may = useMay();
  const [isDeriving, setDeriving] = useState(false);
  const query = useInfiniteQuery({
    ...derivedAddressesQuery(publicKey.id),
    enabled: may('api:address:read'),
  });
  const { rows, total } = rowsOf(query.data?.pages);
  if (!may('api:address:read')) return null;
  return (
    <Panel
      title={`Addresses${query.data ? ` · ${total.toLocaleString()}` : ''}`}
      isFlush
      aside={
        may('api:address:write') && (
          <Button
            isSmall
            icon={<ListPlus aria-hidden className="size-3.5" />}
            onClick={() => setDeriving(true)}
          >
            Derive a range
          </Button>
        )
      }
    >
      {query.error && <Problem error={query.error} onRetry={() => void query.refetch()} />}
      <MonitoringWarnings warnings={rows.find(({ warnings }) => warnings.length > 0)?.warnings ?? []} />
      <LoadedTable
        label="Addresses"
        query={query}
        rows={rows}
        columns={COLUMNS}
        waitingRows={6}
        empty={
          <Empty icon={<Wallet />} title="No addresses yet">
            Derive the next address for each customer, or a range in advance.
          </Empty>
        }
      />
      {isDeriving && <DeriveDialog publicKey={publicKey} onClose={() => setDeriving(false)} />}
    </Panel>
  );
}

const COLUMNS: readonly Column<HdAddress>[] = [
  { name: 'Index', width: '4rem', cell: ({ index }) => <span className="tabular-nums">{index}</span> },
  {
    name: 'Address',
    width: 'minmax(12rem, 1fr)',
    cell: ({ address }) => (
      <Link to="/addresses/$address" params={{ address }} title={address} className={`${ROW_LINK} font-mono`}>
        {shorten(address)}
      </Link>
    ),
  },
  {
    name: 'Label',
    width: 'minmax(8rem, 1fr)',
    cell: ({ label }) => <span className="truncate">{label ?? <span className="text-faint">–</span>}</span>,
  },
  { name: 'For', width: '6rem', cell: ({ change }) => (change === 0 ? 'receiving' : 'change') },
  {
    name: 'Used',
    width: '9rem',
    cell: ({ is_used, beyond_gap_limit }) =>
      beyond_gap_limit ? (
        <Badge tone="warn">Beyond the gap</Badge>
      ) : (
        <Badge tone={is_used ? 'ok' : 'none'}>{is_used ? 'Used' : 'Unused'}</Badge>
      ),
  },
];

function Details({ publicKey }: { readonly publicKey: PublicKey }) {
  return (
    <Facts>
      <Fact name="Gap">
        <GapBar publicKey={publicKey} />
      </Fact>
      <Fact name="Chain">
        <ChainName gid={publicKey.chain_gid} />
      </Fact>
      <Fact name="Path">
        <code className="font-mono">{publicKey.derivation_path}</code>, {publicKey.address_format}
      </Fact>
      <Fact name="Last used">{publicKey.last_used_index ?? 'none yet'}</Fact>
      <Fact name="Next">{publicKey.next_index ?? 'none left'}</Fact>
      <Fact name="Fingerprint">
        <code className="font-mono">{publicKey.fingerprint}</code>
      </Fact>
      <Fact name="Key">
        <Hash text={publicKey.extended_public_key} isWhole />
      </Fact>
      <Fact name="Added">
        <Time at={publicKey.created_at} isLong />
      </Fact>
    </Facts>
  );
}

interface DeriveDialogProps {
  readonly publicKey: PublicKey;
  readonly onClose: () => void;
}

/** Addresses from an index to an index; those that are there already stay. */
function DeriveDialog({ publicKey: { id, next_index }, onClose }: DeriveDialogProps) {
  const client = useQueryClient();
  const [from, setFrom] = useState(String(next_index ?? 0));
  const [to, setTo] = useState(String((next_index ?? 0) + 9));
  const [change, setChange] = useState<0 | 1>(0);
  const deriving = useMutation({
    mutationFn: () =>
      bodyOf(
        api.POST('/public_keys/{public_key_id}/addresses', {
          params: { path: { public_key_id: id } },
          body: { from: Number(from), to: Number(to), change },
        }),
      ),
    onSuccess: async ({ created_count, items }) => {
      const warned = items.find(({ warnings }) => warnings.length > 0);
      tellMonitored(
        `${created_count.toLocaleString()} ${created_count === 1 ? 'address is' : 'addresses are'} monitored`,
        warned ?? { warnings: [] },
      );
      onClose();
      await client.invalidateQueries({ queryKey: ['public-keys'] });
    },
  });
  const reasons = [reasonFor(deriving.error, 'from'), reasonFor(deriving.error, 'to')];
  return (
    <FormModal
      title="Derive a range"
      description="Maximum 1,000 at a time. Monitoring starts at once."
      onClose={onClose}
      action="Derive"
      sending={deriving}
      reasons={reasons}
    >
      <div className="grid grid-cols-2 gap-3">
        <TextField
          label="From index"
          type="number"
          min={0}
          required
          autoFocus
          value={from}
          onChange={(event) => setFrom(event.target.value)}
          error={reasons[0]}
        />
        <TextField
          label="To index"
          type="number"
          min={0}
          required
          value={to}
          onChange={(event) => setTo(event.target.value)}
          error={reasons[1]}
        />
      </div>
      <Select label="For" value={change} onChange={(event) => setChange(event.target.value === '1' ? 1 : 0)}>
        <option value={0}>Receiving</option>
        <option value={1}>Change</option>
      </Select>
    </FormModal>
  );
}
