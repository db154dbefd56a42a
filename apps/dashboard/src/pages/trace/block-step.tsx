// SPDX-License-Identifier: Apache-2.0
import { useQuery } from '@tanstack/react-query';
import { blockQuery, type Transaction } from '../../api/queries.ts';
import { useMay } from '../../api/session.ts';
import { Hash } from '../../ui/copy.tsx';
import { ExplorerLink } from '../../ui/explorer-link.tsx';
import { Status } from '../../ui/status.tsx';
import { Time } from '../../ui/time.tsx';
import { Step } from './step.tsx';

export function BlockStep({ transaction }: { readonly transaction: Transaction }) {
  const { chain_gid, block_number: number, block_hash: hash, block_timestamp: at, status } = transaction;
  const may = useMay();
  const block = useQuery({
    ...blockQuery(chain_gid, number ?? 0),
    enabled: number !== null && may('api:block:read'),
  });
  if (number === null)
    return status === 'failed' ? (
      <Step tone="bad" title="Transaction dropped">
        <p className="px-4 py-2.5 text-[13px] text-soft">
          {transaction.replaced_by === null
            ? 'The network dropped the transaction.'
            : 'Another transaction spent the same coins or used the same nonce.'}
        </p>
      </Step>
    ) : (
      <Step tone="wait" title="Waiting for a block" />
    );
  return (
    <Step
      tone={status === 'reorged' ? 'bad' : 'ok'}
      title={
        <>
          {status === 'reorged' ? 'Was in block' : 'In block'}{' '}
          <span className="tabular-nums">{number.toLocaleString()}</span>
        </>
      }
      aside={at !== null && <Time at={at} />}
    >
      <div className="flex flex-wrap items-center gap-x-4 gap-y-1 px-4 py-2.5 text-[13px]">
        {hash !== null && <Hash text={hash} />}
        {status !== 'reorged' && <ExplorerLink chainGid={chain_gid} about={{ block: { number, hash } }} />}
        {block.data && hash === block.data.hash && <Status of={block.data.status} />}
        {status === 'reorged' && (
          <p className="text-soft">
            The chain replaced this block. The transaction does not count unless another block includes it.
          </p>
        )}
      </div>
    </Step>
  );
}
