// SPDX-License-Identifier: Apache-2.0
import { useInfiniteQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { GitFork, Plus } from 'lucide-react';
import { useState } from 'react';
import { publicKeysQuery, type PublicKey } from '../../api/public-key-queries.ts';
import { rowsOf } from '../../api/queries.ts';
import { useMay } from '../../api/session.ts';
import { Button } from '../../ui/button.tsx';
import { ChainName } from '../../ui/chain-name.tsx';
import { LoadedTable } from '../../ui/loaded-table.tsx';
import { Empty, Problem } from '../../ui/notice.tsx';
import { Page, Panel } from '../../ui/panel.tsx';
import { ROW_LINK, type Column } from '../../ui/table.tsx';
import { Time } from '../../ui/time.tsx';
import { AddPublicKeyDialog } from './add-public-key-dialog.tsx';
import { GapBar } from './gap-bar.tsx';

export function PublicKeysPage() {
  const query = useInfiniteQuery(publicKeysQuery);
  const { rows } = rowsOf(query.data?.pages);
  const [isAdding, setAdding] = useState(false);
  const add = useMay()('api:public_key:write') && (
    <Button look="primary" icon={<Plus aria-hidden className="size-4" />} onClick={() => setAdding(true)}>
      Add public key
    </Button>
  );
  return (
    <Page title="Public keys" actions={rows.length > 0 && add}>
      {query.error && <Problem error={query.error} onRetry={() => void query.refetch()} />}
      <Panel isFlush>
        <LoadedTable
          label="Public keys"
          query={query}
          rows={rows}
          columns={COLUMNS}
          waitingRows={6}
          empty={
            <Empty
              icon={<GitFork />}
              title="No public keys yet"
              action={add}
              docs="cookbook/exchange-deposits"
            >
              Derive an address for each customer from an account's extended public key (xpub, zpub, …). No
              secret is needed.
            </Empty>
          }
        />
      </Panel>
      {isAdding && <AddPublicKeyDialog onClose={() => setAdding(false)} />}
    </Page>
  );
}

const COLUMNS: readonly Column<PublicKey>[] = [
  {
    name: 'Public key',
    width: 'minmax(10rem, 1fr)',
    cell: ({ id, label, fingerprint }) => (
      <Link to="/public-keys/$id" params={{ id }} className={`${ROW_LINK} truncate`}>
        {label ?? fingerprint}
      </Link>
    ),
  },
  {
    name: 'Path',
    width: '8rem',
    cell: ({ derivation_path }) => <code className="font-mono text-xs text-soft">{derivation_path}</code>,
  },
  { name: 'Chain', width: '9rem', cell: ({ chain_gid }) => <ChainName gid={chain_gid} /> },
  {
    name: 'Addresses',
    width: '6rem',
    isRight: true,
    cell: ({ address_count }) => address_count.toLocaleString(),
  },
  { name: 'Gap', width: 'minmax(12rem, 1fr)', cell: (publicKey) => <GapBar publicKey={publicKey} /> },
  { name: 'Added', width: '7rem', isRight: true, cell: ({ created_at }) => <Time at={created_at} /> },
];
