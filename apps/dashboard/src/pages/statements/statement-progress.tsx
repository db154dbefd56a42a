// SPDX-License-Identifier: Apache-2.0
import { isWriting, type Statement } from '../../api/statement-queries.ts';
import { Panel } from '../../ui/panel.tsx';
import { Progress } from '../../ui/progress.tsx';
import { Tile, Tiles } from '../../ui/rows.tsx';
import { sayGaps, saySize } from './describe-statement.ts';

/** How far it is, why it failed, and how much it declares not to know. */
export function StatementProgress({ statement }: { readonly statement: Statement }) {
  const { status, reason, progress, size } = statement;
  const { addresses_done: done, addresses_total: total, movements, gaps, unexplained } = progress;
  return (
    <>
      {reason !== null && (
        <Panel title={status === 'failed' ? 'Failed' : 'Retrying'}>
          <p className={`text-[13px] break-words ${status === 'failed' ? 'text-bad' : 'text-warn'}`}>
            {reason}
          </p>
        </Panel>
      )}
      {isWriting(statement) && (
        <Panel title={status === 'queued' ? 'Waiting to start' : 'Writing'}>
          <div aria-live="polite" className="flex flex-col gap-1.5 text-[13px] text-soft tabular-nums">
            <Progress label="Addresses written" value={status === 'queued' ? undefined : done} max={total} />
            {done.toLocaleString()} of {total.toLocaleString()} addresses
          </div>
        </Panel>
      )}
      <Tiles>
        <Tile name="Addresses" value={total.toLocaleString()} />
        <Tile name="Movements" value={movements.toLocaleString()} />
        <Tile
          name="Declared gaps"
          value={sayGaps(statement)}
          note={gaps === 0 ? undefined : 'What the statement does not know'}
        />
        {unexplained > 0 && (
          <Tile
            name="Unexplained balances"
            value={unexplained.toLocaleString()}
            note="No movement explains a part of them"
          />
        )}
        <Tile name="Document" value={size === null ? '–' : saySize(size)} />
      </Tiles>
    </>
  );
}
