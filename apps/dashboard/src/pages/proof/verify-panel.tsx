// SPDX-License-Identifier: Apache-2.0
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import type { Proof } from '../../api/proof-queries.ts';
import { Button } from '../../ui/button.tsx';
import { TextField } from '../../ui/field.tsx';
import { Problem } from '../../ui/notice.tsx';
import { Panel } from '../../ui/panel.tsx';
import { Outcome } from './outcome.tsx';
import { toTrustedHash } from './trusted-hash.ts';
import { verifyProof } from './verify-proof.ts';

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
