// SPDX-License-Identifier: Apache-2.0
import { useQuery } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import { Download, FileX } from 'lucide-react';
import { proofQuery, type Proof } from '../../api/proof-queries.ts';
import type { Transaction } from '../../api/queries.ts';
import { Button } from '../../ui/button.tsx';
import { Empty, Problem, Waiting } from '../../ui/notice.tsx';
import { Panel } from '../../ui/panel.tsx';
import { saveFile } from '../../ui/save-file.ts';
import { TransactionFrame } from '../trace/transaction-frame.tsx';
import { ProofFacts } from './proof-facts.tsx';
import { ProofMeaning } from './proof-meaning.tsx';
import { VerifyPanel } from './verify-panel.tsx';

/** What shows that the transaction is in its block, without trust in this service. */
export function ProofPage() {
  const { id } = useParams({ from: '/shell/transactions/$id/proof' });
  return (
    <TransactionFrame id={id}>
      {(transaction) => <LoadedProof key={transaction.block_hash} transaction={transaction} />}
    </TransactionFrame>
  );
}

function LoadedProof({ transaction }: { readonly transaction: Transaction }) {
  const isInBlock = transaction.block_hash !== null && transaction.status !== 'reorged';
  const query = useQuery({ ...proofQuery(transaction), enabled: isInBlock });
  if (!isInBlock)
    return (
      <Panel isFlush>
        <Empty icon={<FileX />} title="No proof: not in a block">
          Only transactions in a block have a proof. The status of this transaction is {transaction.status}.
        </Empty>
      </Panel>
    );
  if (query.isFetching) return <Waiting rows={8} />;
  if (query.error)
    return (
      <>
        <Problem error={query.error} onRetry={() => void query.refetch()} />
        <p className="text-[13px] text-soft">
          A node reads the whole block for each proof. The transaction and its events are not affected.
        </p>
      </>
    );
  return query.data && <ShownProof proof={query.data} />;
}

function ShownProof({ proof }: { readonly proof: Proof }) {
  const download = (): void => {
    const text = JSON.stringify(proof, undefined, 2);
    saveFile(new Blob([text], { type: 'application/json' }), `proof-${proof.hash}.json`);
  };
  return (
    <div className="grid grid-cols-[minmax(0,1fr)] items-start gap-5 xl:grid-cols-[minmax(0,1fr)_24rem]">
      <div className="flex min-w-0 flex-col gap-5">
        <ProofMeaning proof={proof} />
        {proof.type !== 'none' && <VerifyPanel proof={proof} />}
      </div>
      <Panel
        title="Details"
        aside={
          <Button isSmall icon={<Download aria-hidden className="size-3.5" />} onClick={download}>
            Download JSON
          </Button>
        }
      >
        <ProofFacts proof={proof} />
      </Panel>
    </div>
  );
}
