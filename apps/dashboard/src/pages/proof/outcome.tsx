// SPDX-License-Identifier: Apache-2.0
import type { ProvedTransfer } from '@chainwatch/verify';
import { ArrowRight, CircleAlert, ShieldCheck } from 'lucide-react';
import { Hash, shorten } from '../../ui/copy.tsx';
import type { Verified } from './verify-proof.ts';

const SHOWN = 50;

/** What the proof shows, and against which hash. */
export function Outcome({ verified: { shown, isTrusted } }: { readonly verified: Verified }) {
  const { transfers, isFailed, producer } = shown;
  return (
    <div className="overflow-hidden rounded-lg border border-line text-[13px]">
      <div className={`flex gap-2.5 p-3 ${isTrusted ? 'bg-ok-wash text-ok' : 'bg-warn-wash text-warn'}`}>
        {isTrusted ? (
          <ShieldCheck aria-hidden className="mt-0.5 size-4 shrink-0" />
        ) : (
          <CircleAlert aria-hidden className="mt-0.5 size-4 shrink-0" />
        )}
        <div className="min-w-0">
          <p className="font-medium">
            {isTrusted ? 'Verified against the hash that you pasted' : 'Structure only, not verified'}
          </p>
          <p>
            {isTrusted
              ? `The transaction is at index ${shown.index.toLocaleString()} of block ${shown.blockNumber.toLocaleString()}.`
              : 'The proof leads to the block hash that it names itself. Nothing here shows that the chain has this block. Paste its hash from a second source.'}
          </p>
        </div>
      </div>
      {isFailed ? (
        <p className="p-3">The transaction failed. Moved nothing except the fee.</p>
      ) : (
        <Transfers transfers={transfers} />
      )}
      {producer !== undefined && (
        <p className="border-t border-line p-3 break-all">
          Produced by <span className="font-mono">{producer.address}</span>, signed by{' '}
          <span className="font-mono">{producer.signer}</span>. Compare the signer with one that you know.
        </p>
      )}
    </div>
  );
}

function Transfers({ transfers }: { readonly transfers: readonly ProvedTransfer[] }) {
  return (
    <>
      <p className="border-b border-line p-3 text-soft">
        Transfers decoded from the bytes of the proof, in base units:
      </p>
      <ul aria-label="Transfers in the proof" className="divide-y divide-line">
        {transfers.slice(0, SHOWN).map((transfer, index) => (
          <li key={index} className="flex flex-wrap items-center justify-between gap-x-4 gap-y-1 p-3">
            <span className="flex min-w-0 flex-wrap items-center gap-2">
              {transfer.from !== undefined && <Hash text={transfer.from} />}
              <ArrowRight aria-label="to" className="size-3.5 text-faint" />
              {transfer.to !== undefined && <Hash text={transfer.to} />}
              {transfer.script !== undefined && (
                <span className="flex items-center gap-1.5 text-faint">
                  script <Hash text={transfer.script} />
                </span>
              )}
            </span>
            <span className="tabular-nums">
              {transfer.amountRaw.toLocaleString()}{' '}
              <span title={transfer.token} className="text-faint">
                {transfer.token === undefined ? 'of the native coin' : `of token ${shorten(transfer.token)}`}
              </span>
            </span>
          </li>
        ))}
        {transfers.length === 0 && <li className="p-3">The covered bytes show no transfer.</li>}
        {transfers.length > SHOWN && (
          <li className="p-3 text-soft">{(transfers.length - SHOWN).toLocaleString()} more transfers</li>
        )}
      </ul>
    </>
  );
}
