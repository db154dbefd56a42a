// SPDX-License-Identifier: Apache-2.0
import { keepPreviousData, useInfiniteQuery } from '@tanstack/react-query';
import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { Plus, Upload, Wallet } from 'lucide-react';
import { lazy, Suspense, useState } from 'react';
import { addressesQuery, rowsOf, type Address } from '../../api/queries.ts';
import { exportAddresses } from '../../api/exports.ts';
import { useMay } from '../../api/session.ts';
import { useDialogRequest } from '../../app/dialog-request.ts';
import { SEARCH_KEY } from '../../app/shortcut.ts';
import { withoutEmpty, type AddressSearch } from '../../app/search-params.ts';
import { Button } from '../../ui/button.tsx';
import { ChoiceChip, ClearButton, orNone, TextChip } from '../../ui/chips.tsx';
import { shorten } from '../../ui/copy.tsx';
import { ExportMenu } from '../../ui/export-menu.tsx';
import { LoadedTable } from '../../ui/loaded-table.tsx';
import { Empty, Problem } from '../../ui/notice.tsx';
import { Page, Panel } from '../../ui/panel.tsx';
import { ROW_LINK, type Column } from '../../ui/table.tsx';
import { Time } from '../../ui/time.tsx';
import { AddDialog } from './add-dialog.tsx';
import { MonitoringBadge } from './monitoring.tsx';
import { toTitle, useFamilies } from './families.ts';

/** With a parser of CSV, which is as large as a page. */
const ImportDialog = lazy(async () => ({ default: (await import('./import-dialog.tsx')).ImportDialog }));

export function AddressesPage() {
  const search = useSearch({ from: '/shell/addresses' });
  const query = useInfiniteQuery({ ...addressesQuery(search), placeholderData: keepPreviousData });
  const [opened, setOpened] = useState<'add' | 'import'>();
  const may = useMay();
  const { rows, total } = rowsOf(query.data?.pages);
  const isFiltered = Object.keys(search).length > 0;
  const close = (): void => setOpened(undefined);
  useDialogRequest((dialog) => may('api:address:write') && setOpened(dialog));
  return (
    <Page
      title="Addresses"
      eyebrow={
        query.data
          ? `${total.toLocaleString()} ${isFiltered ? 'match the filters' : 'in this project'}`
          : undefined
      }
      actions={
        <>
          {total > 0 && <ExportMenu name="addresses" read={(type) => exportAddresses(search, type)} />}
          {may('api:address:write') && (
            <>
              <Button icon={<Upload aria-hidden className="size-4" />} onClick={() => setOpened('import')}>
                Import
              </Button>
              <Button
                look="primary"
                icon={<Plus aria-hidden className="size-4" />}
                onClick={() => setOpened('add')}
              >
                Add address
              </Button>
            </>
          )}
        </>
      }
    >
      <Filters search={search} />
      {query.error && <Problem error={query.error} onRetry={() => void query.refetch()} />}
      <Panel isFlush>
        <LoadedTable
          label="Addresses"
          query={query}
          rows={rows}
          columns={COLUMNS}
          waitingRows={10}
          empty={<NoAddresses isFiltered={isFiltered} />}
        />
      </Panel>
      {opened === 'add' && <AddDialog onClose={close} />}
      {opened === 'import' && (
        <Suspense>
          <ImportDialog onClose={close} />
        </Suspense>
      )}
    </Page>
  );
}

const COLUMNS: readonly Column<Address>[] = [
  {
    name: 'Address',
    width: 'minmax(13rem, 1.4fr)',
    cell: ({ address }) => (
      <Link to="/addresses/$address" params={{ address }} title={address} className={`${ROW_LINK} font-mono`}>
        {shorten(address)}
      </Link>
    ),
  },
  {
    name: 'Label',
    width: 'minmax(10rem, 1.2fr)',
    cell: ({ label }) => <span className="truncate">{label ?? <span className="text-faint">–</span>}</span>,
  },
  { name: 'Family', width: '7rem', cell: ({ chain_family }) => toTitle(chain_family) },
  {
    name: 'Kind',
    width: '8rem',
    cell: ({ kind }) => <span className="text-soft">{kind === 'hd' ? 'derived' : 'imported'}</span>,
  },
  {
    name: 'Monitored',
    width: '8rem',
    cell: (address) => <MonitoringBadge of={address} />,
  },
  { name: 'Added', width: '7rem', isRight: true, cell: ({ created_at }) => <Time at={created_at} /> },
];

function Filters({ search }: { readonly search: AddressSearch }) {
  const navigate = useNavigate({ from: '/addresses' });
  const families = useFamilies();
  const set = (change: AddressSearch): void =>
    void navigate({ search: withoutEmpty({ ...search, ...change }), replace: true });
  return (
    <div role="group" aria-label="Filters" className="flex flex-wrap items-center gap-2">
      <TextChip
        name="Label or address"
        placeholder="Customer 42"
        value={search.search}
        onChange={(text) => set({ search: text })}
      />
      <ChoiceChip
        name="Family"
        options={families.map((value) => ({ value, title: toTitle(value) }))}
        chosen={search.families ?? []}
        onChange={(chosen) => set({ families: orNone(chosen) })}
      />
      <TextChip
        name="Group"
        placeholder="vip"
        value={search.groups?.join(',')}
        onChange={(text) => set({ groups: orNone(text?.split(',') ?? []) })}
      />
      <ChoiceChip
        name="Kind"
        isSingle
        options={[
          { value: 'hd', title: 'Derived' },
          { value: 'external', title: 'Imported' },
        ]}
        chosen={search.kind === undefined ? [] : [search.kind]}
        onChange={([kind]) => set({ kind: kind as AddressSearch['kind'] })}
      />
      <ChoiceChip
        name="Monitored"
        isSingle
        options={[
          { value: 'true', title: 'Monitored' },
          { value: 'false', title: 'Paused' },
        ]}
        chosen={search.monitored === undefined ? [] : [search.monitored]}
        onChange={([monitored]) => set({ monitored: monitored as AddressSearch['monitored'] })}
      />
      {Object.keys(search).length > 0 && (
        <ClearButton onClear={() => void navigate({ search: {}, replace: true })} />
      )}
    </div>
  );
}

function NoAddresses({ isFiltered }: { readonly isFiltered: boolean }) {
  return isFiltered ? (
    <Empty icon={<Wallet />} title="No addresses match these filters">
      Remove a filter, or search with {SEARCH_KEY}.
    </Empty>
  ) : (
    <Empty icon={<Wallet />} title="No addresses yet" docs="guides/lists">
      Add an address or import a CSV file. Monitoring starts at once.
    </Empty>
  );
}
