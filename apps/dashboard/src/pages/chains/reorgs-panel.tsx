// SPDX-License-Identifier: Apache-2.0
import { useQuery } from '@tanstack/react-query';
import { countingBlocksQuery, reorgedBlocksQuery } from '../../api/chain-queries.ts';
import { Problem, Waiting } from '../../ui/notice.tsx';
import { Panel } from '../../ui/panel.tsx';
import { Time } from '../../ui/time.tsx';
import { listReorgs, type Reorg } from './list-reorgs.ts';
import { ReorgDrawing } from './reorg-drawing.tsx';

const SHOWN = 5;
/** Of heights: where a reorg begins says most. */
const DRAWN_HEIGHTS = 24;

/** What the chain gave up lately. */
export function ReorgsPanel({ chainGid }: { readonly chainGid: string }) {
  const query = useQuery(reorgedBlocksQuery(chainGid));
  const reorgs = listReorgs(query.data?.items ?? []);
  return (
    <Panel title="Reorgs" isFlush>
      {query.error ? (
        <Problem error={query.error} onRetry={() => void query.refetch()} />
      ) : query.isPending ? (
        <Waiting rows={3} />
      ) : reorgs.length === 0 ? (
        <p className="px-4 py-3 text-[13px] text-soft">
          No reorgs recorded. Payments in replaced blocks are sent as{' '}
          <code className="font-mono">transaction.reorged</code>.
        </p>
      ) : (
        <ul aria-label="Reorgs" className="divide-y divide-line">
          {reorgs.slice(0, SHOWN).map((reorg) => (
            <ReorgLine key={reorg.from} chainGid={chainGid} reorg={cut(reorg)} />
          ))}
        </ul>
      )}
    </Panel>
  );
}

/** The beginning of what is too long to be drawn. */
function cut({ from, to, branches }: Reorg): Reorg {
  const last = Math.min(to, from + DRAWN_HEIGHTS);
  return {
    from,
    to: last,
    branches: branches
      .map((branch) => branch.filter(({ number }) => number <= last))
      .filter((branch) => branch.length > 0),
  };
}

function ReorgLine({ chainGid, reorg }: { readonly chainGid: string; readonly reorg: Reorg }) {
  const { from, to, branches } = reorg;
  const query = useQuery(countingBlocksQuery(chainGid, Math.max(0, from - 1), to + 1));
  const at = branches[0]?.[0]?.timestamp;
  return (
    <li className="flex flex-col gap-2 px-4 py-3 text-[13px]">
      <p className="flex flex-wrap justify-between gap-x-4">
        <span>
          {from === to
            ? `Block ${from.toLocaleString()} left the chain`
            : `Blocks ${from.toLocaleString()} to ${to.toLocaleString()} left the chain`}
        </span>
        {at && (
          <span className="text-soft">
            <Time at={at} />
          </span>
        )}
      </p>
      {query.data && <ReorgDrawing reorg={reorg} counting={query.data.items} />}
    </li>
  );
}
