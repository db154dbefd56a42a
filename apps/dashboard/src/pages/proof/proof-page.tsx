// SPDX-License-Identifier: Apache-2.0
import { useQuery } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import { Download, FileX, Check, TriangleAlert, X, type LucideIcon } from 'lucide-react';
import { proofQuery, type Proof } from '../../api/proof-queries.ts';
import type { Transaction } from '../../api/queries.ts';
import { Button } from '../../ui/button.tsx';
import { Empty, Problem, Waiting } from '../../ui/notice.tsx';
import { Panel, Fact, Facts } from '../../ui/panel.tsx';
import { saveFile } from '../../ui/save-file.ts';
import { TransactionFrame } from '../trace/transaction-frame.tsx';
import { Hash } from '../../ui/copy.tsx';
import { ExplorerLink } from '../../ui/explorer-link.tsx';
import { Status, toWords } from '../../ui/status.tsx';
import type { ReactNode } from 'react';
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

/** Its type, block, and sizes, and how final the service says that the block is. */
function ProofFacts({ proof }: { readonly proof: Proof }) {
  const { branches, items } = measureProof(proof);
  const { status, confirmations, required_confirmations: required } = proof.finality;
  return (
    <Facts>
      <Fact name="Type">
        <code className="font-mono">{proof.type}</code>
      </Fact>
      <Fact name="Block">
        <span className="tabular-nums">{proof.block_number.toLocaleString()}</span>
        <ExplorerLink
          chainGid={proof.chain_gid}
          about={{ block: { number: proof.block_number, hash: proof.block_hash } }}
        />
      </Fact>
      <Fact name="Block hash">
        <Hash text={proof.block_hash} isWhole />
        <span className="block text-faint">Reported by this service: not a second source.</span>
      </Fact>
      {proof.item !== null && (
        <Fact name="Index in block">
          <span className="tabular-nums">{proof.item.index.toLocaleString()}</span> (the first is 0)
        </Fact>
      )}
      <Fact name="Finality">
        <span className="flex flex-wrap items-center gap-2">
          <Status of={status} />
          <span className="tabular-nums">
            {confirmations.toLocaleString()} confirmations, {required.toLocaleString()} required
          </span>
        </span>
        <span className="block text-faint">Reported by this service. Not part of the proof.</span>
      </Fact>
      {branches.map(({ name, nodes, bytes }) => (
        <Fact key={name} name={`${toWords(name)} branch`}>
          <span className="tabular-nums">
            {nodes.toLocaleString()} {nodes === 1 ? 'node' : 'nodes'} · {bytes.toLocaleString()} bytes
          </span>
        </Fact>
      ))}
      {items.map(({ name, bytes }) => (
        <Fact key={name} name={toWords(name)}>
          <span className="tabular-nums">{bytes.toLocaleString()} bytes</span>
        </Fact>
      ))}
    </Facts>
  );
}

interface Part {
  readonly name: string;
  /** Nodes of a trie, or hashes beside the path of a tree. */
  readonly nodes: number;
  readonly bytes: number;
}

/** How long each branch is, and how many bytes each part of the item has. */
export function measureProof({ branch, item, header }: Pick<Proof, 'branch' | 'item' | 'header'>): {
  readonly branches: readonly Part[];
  readonly items: readonly Omit<Part, 'nodes'>[];
} {
  const { index: _index, ...texts } = item ?? { index: 0 };
  return {
    branches: Object.entries(branch ?? {}).map(([name, nodes]) => ({
      name,
      nodes: nodes.length,
      bytes: nodes.reduce((sum, node) => sum + bytesOf(node), 0),
    })),
    items: Object.entries({ ...(header !== null && { header }), ...texts }).map(([name, text]) => ({
      name,
      bytes: bytesOf(text),
    })),
  };
}

/** Of hexadecimal text, with `0x` or without. */
function bytesOf(text: string | null): number {
  return text === null ? 0 : text.replace(/^0x/, '').length / 2;
}

/** What the hash of a block covers, by the type of its proof. */
const COVERED: Readonly<Partial<Record<string, string>>> = {
  mpt: 'The block hash covers the transaction, its receipt, and the logs in it. Transfers are decoded from these bytes.',
  merkle:
    'The block hash covers the transaction. Transfers are decoded from its outputs. Senders are not part of the proof.',
  signed_merkle:
    'The block hash covers the transaction and its result, and the producer signed it. Token transfers that a contract logs are not covered, so they are not shown.',
};

/** What a proof says and what it does not, or why there is none. */
function ProofMeaning({ proof }: { readonly proof: Proof }) {
  if (proof.type === 'none') return <NoProof proof={proof} />;
  return (
    <Panel title="What this proof says">
      <ul className="flex flex-col gap-2.5 text-[13px]">
        <Line icon={Check} look="text-ok" label="Shown">
          The transaction is in block {proof.block_number.toLocaleString()}, if the chain has this block.{' '}
          {COVERED[proof.type] ?? 'This page does not know proofs of this type, and cannot verify it.'}
        </Line>
        <Line icon={X} look="text-bad" label="Not shown">
          It does not show that nothing else happened. A proof shows inclusion, not completeness.
        </Line>
        <Line icon={X} look="text-bad" label="Not shown">
          It does not show that the chain has this block, or keeps it. Take the block hash from a second
          source, and wait until the block is final.
        </Line>
      </ul>
    </Panel>
  );
}

function NoProof({ proof: { reason, signatures = [] } }: { readonly proof: Proof }) {
  return (
    <Panel title="No proof exists">
      <div className="flex flex-col gap-3 text-[13px]">
        <ul>
          <Line icon={TriangleAlert} look="text-warn" label="Reason">
            {reason ?? 'The service gave no reason.'}
          </Line>
        </ul>
        <p className="text-soft">
          Nothing on this page can be verified without trust in this service. Compare the transaction with a
          node or an explorer of your own.
        </p>
        {signatures.length > 0 && (
          <div>
            <p className="text-soft">Signatures of the transaction:</p>
            <ul>
              {signatures.map((signature) => (
                <li key={signature}>
                  <Hash text={signature} isWhole />
                </li>
              ))}
            </ul>
          </div>
        )}
      </div>
    </Panel>
  );
}

interface LineProps {
  readonly icon: LucideIcon;
  readonly look: string;
  readonly label: string;
  readonly children: ReactNode;
}

function Line({ icon: Icon, look, label, children }: LineProps) {
  return (
    <li className="flex gap-2.5">
      <Icon aria-label={label} className={`mt-0.5 size-4 shrink-0 ${look}`} />
      <span className="min-w-0 break-words">{children}</span>
    </li>
  );
}
