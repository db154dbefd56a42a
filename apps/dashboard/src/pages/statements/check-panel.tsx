// SPDX-License-Identifier: Apache-2.0
import type { StatementCounts, VerifiedStatement } from '@chainwatch/verify';
import { useMutation } from '@tanstack/react-query';
import { CircleAlert, ShieldCheck } from 'lucide-react';
import { useEffect, useRef } from 'react';
import { openStatement, readStatementKeys, type Statement } from '../../api/statement-queries.ts';
import { Button } from '../../ui/button.tsx';
import { Problem } from '../../ui/notice.tsx';
import { Panel } from '../../ui/panel.tsx';

async function check({ id, signature }: Statement, signal: AbortSignal): Promise<VerifiedStatement> {
  const [{ verifyStatement }, keys, document] = await Promise.all([
    import('@chainwatch/verify'),
    readStatementKeys(signal),
    openStatement(id, signal),
  ]);
  return verifyStatement(document, { keys, signature: signature! });
}

/** Reads the document once, verifies its signature, adds up its lines, and counts what they leave unexplained. */
export function CheckPanel({ statement }: { readonly statement: Statement }) {
  const leaving = useRef(new AbortController());
  useEffect(() => {
    leaving.current = new AbortController();
    return () => leaving.current.abort();
  }, []);
  const checking = useMutation({ mutationFn: () => check(statement, leaving.current.signal) });
  return (
    <Panel title="Check the document">
      <div className="flex flex-col gap-3 text-[13px]">
        <p className="text-soft">
          Reads the document in this browser, verifies its signature with the keys of this service, and{' '}
          {statement.format === 'ndjson'
            ? 'counts balances with an unexplained part.'
            : 'nothing more: the lines of this format are for people.'}
        </p>
        <Button className="self-start" isBusy={checking.isPending} onClick={() => checking.mutate()}>
          Check document
        </Button>
        <div aria-live="polite" className="empty:hidden">
          {checking.error && <Problem error={checking.error} onRetry={() => checking.mutate()} />}
          {checking.data && <Result checked={checking.data} />}
        </div>
      </div>
    </Panel>
  );
}

function Result({ checked: { isValid, kid, faults, lines } }: { readonly checked: VerifiedStatement }) {
  return (
    <div className="overflow-hidden rounded-lg border border-line">
      <div className={`flex gap-2.5 p-3 ${isValid ? 'bg-ok-wash text-ok' : 'bg-bad-wash text-bad'}`}>
        {isValid ? (
          <ShieldCheck aria-hidden className="mt-0.5 size-4 shrink-0" />
        ) : (
          <CircleAlert aria-hidden className="mt-0.5 size-4 shrink-0" />
        )}
        <div className="min-w-0">
          <p className="font-medium">{isValid ? 'Signature valid' : 'Not valid'}</p>
          {isValid ? (
            <p className="break-words">
              Signed by key <span className="font-mono break-all">{kid}</span>. The keys came from this
              service: compare the key ID with your own copy.
            </p>
          ) : (
            <ul>
              {faults.map((fault) => (
                <li key={fault} className="break-words">
                  {fault}
                </li>
              ))}
            </ul>
          )}
        </div>
      </div>
      {lines !== undefined && <Counts lines={lines} />}
    </div>
  );
}

function Counts({ lines }: { readonly lines: StatementCounts }) {
  const { balances, unexplained, unknown, gaps } = lines;
  const known = `${countOf(balances - unknown, 'balance')} with both readings`;
  return (
    <ul aria-label="What the lines say" className="divide-y divide-line">
      <Count isFine={unexplained === 0}>
        {unexplained === 0
          ? `No unexplained part in ${known}`
          : `${unexplained.toLocaleString()} of ${known}: an unexplained part`}
      </Count>
      <Count isFine={unknown === 0}>
        {unknown === 0
          ? 'Every balance has an opening and a closing reading'
          : `${countOf(unknown, 'balance')} without an opening or a closing reading`}
      </Count>
      <Count isFine={gaps === 0}>
        {gaps === 0
          ? 'No declared gaps'
          : `${countOf(gaps, 'declared gap')}: what the statement does not know`}
      </Count>
      <Count isFine>{countOf(lines.movements, 'movement')}</Count>
    </ul>
  );
}

function Count({ isFine, children }: { readonly isFine: boolean; readonly children: string }) {
  return <li className={`px-3 py-2 tabular-nums ${isFine ? '' : 'font-medium text-warn'}`}>{children}</li>;
}

/** `2 gaps`, `1 gap` */
function countOf(count: number, noun: string): string {
  return `${count.toLocaleString()} ${noun}${count === 1 ? '' : 's'}`;
}
