// SPDX-License-Identifier: Apache-2.0
import type { ProvedTransaction, ProvedTransfer } from '@chainwatch/verify';
import { useMutation } from '@tanstack/react-query';
import { ArrowRight, CircleAlert, ShieldCheck } from 'lucide-react';
import { useState } from 'react';
import type { Proof } from '../../api/proof-queries.ts';
import { Button } from '../../ui/button.tsx';
import { Hash, shorten } from '../../ui/copy.tsx';
import { TextField } from '../../ui/field.tsx';
import { Problem } from '../../ui/notice.tsx';
import { Panel } from '../../ui/panel.tsx';

/** Verifies the proof in the browser, against a block hash from a second source. */
export function VerifyPanel({ proof }: { readonly proof: Proof }) {
  const [text, setText] = useState('');
  const pasted = toTrustedHash(text, proof.block_hash);
  const verifying = useMutation({ mutationFn: (hash: string | undefined) => verifyProof(proof, hash) });
  const { data, error, variables, isPending } = verifying;
  return (
    <Panel title="Verify in this browser">
      <form
        className="flex flex-col gap-3"
        onSubmit={(event) => {
          event.preventDefault();
          verifying.mutate(pasted);
        }}
      >
        <TextField
          label={`Hash of block ${proof.block_number.toLocaleString()}`}
          required
          placeholder="Paste the block hash from a second source"
          className="font-mono"
          hint="From a node or an explorer of your own. A hash copied from this page proves nothing."
          value={text}
          onChange={(event) => {
            setText(event.target.value);
            verifying.reset();
          }}
        />
        <div className="flex flex-wrap gap-2">
          <Button type="submit" look="primary" disabled={pasted === undefined} isBusy={isPending}>
            Verify proof
          </Button>
          <Button look="quiet" disabled={isPending} onClick={() => verifying.mutate(undefined)}>
            Check structure only
          </Button>
        </div>
      </form>
      <div aria-live="polite" className="mt-4 empty:hidden">
        {data && <Outcome verified={data} />}
        {error &&
          (error.name === 'InvalidProofError' ? (
            <Refused reason={error.message} isOtherBlock={isOther(variables, proof)} />
          ) : (
            <Problem error={error} onRetry={() => verifying.mutate(variables)} />
          ))}
      </div>
    </Panel>
  );
}

const PREFIX = '0x';

/**
 * A block hash as a person pastes it, written as the proof writes its own: sources differ in the prefix and in the case of
 * its letters, which mean nothing.
 * @returns undefined where nothing was pasted
 */
export function toTrustedHash(text: string, blockHash: string): string | undefined {
  const digits = text.trim().toLowerCase().replace(/^0x/, '');
  if (digits === '') return undefined;
  return blockHash.startsWith(PREFIX) ? `${PREFIX}${digits}` : digits;
}

interface Verified {
  readonly shown: ProvedTransaction;
  /** The hash was pasted; otherwise it is the proof's own, which verifies nothing. */
  readonly isTrusted: boolean;
}

/** The service is not asked: the verifier runs in this page. @throws InvalidProofError */
async function verifyProof(proof: Proof, pasted: string | undefined): Promise<Verified> {
  const { verifyTransaction } = await import('@chainwatch/verify');
  const trustedBlockHash = pasted ?? proof.block_hash;
  return { shown: await verifyTransaction(proof, { trustedBlockHash }), isTrusted: pasted !== undefined };
}

function isOther(pasted: string | undefined, proof: Proof): boolean {
  return pasted !== undefined && pasted !== proof.block_hash;
}

function Refused({ reason, isOtherBlock }: { readonly reason: string; readonly isOtherBlock: boolean }) {
  return (
    <div role="alert" className="rounded-lg border border-line bg-bad-wash p-3 text-[13px]">
      <p className="font-medium text-bad">Not verified</p>
      <p className="break-words text-soft">
        {isOtherBlock
          ? 'The hash that you pasted is not the hash of the block in this proof. Check that it is of the same block number. If it is, do not trust this transaction.'
          : `The proof does not hold: ${reason}`}
      </p>
    </div>
  );
}

const SHOWN = 50;

/** What the proof shows, and against which hash. */
function Outcome({ verified: { shown, isTrusted } }: { readonly verified: Verified }) {
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
