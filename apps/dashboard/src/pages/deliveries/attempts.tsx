// SPDX-License-Identifier: Apache-2.0
import { useState } from 'react';
import { Terminal } from 'lucide-react';
import { useQuery } from '@tanstack/react-query';
import { eventTextQuery, type Attempt, type DeliveryDetail } from '../../api/queries.ts';
import { useMay } from '../../api/session.ts';
import { classes } from '../../ui/classes.ts';
import { CopyAction } from '../../ui/copy.tsx';
import { Dot } from '../../ui/status.tsx';
import { Time } from '../../ui/time.tsx';
import { Message } from './message.tsx';

/** Every attempt, newest first, and what was said in one of them. */
export function Attempts({ delivery: { attempts, event_id } }: { readonly delivery: DeliveryDetail }) {
  const newestFirst = attempts.toReversed();
  const [chosenId, setChosenId] = useState<string>();
  const chosen = newestFirst.find(({ id }) => id === chosenId) ?? newestFirst[0];
  if (chosen === undefined) return <p className="text-[13px] text-soft">No payments yet.</p>;
  return (
    <div className="grid gap-4 md:grid-cols-[15rem_minmax(0,1fr)]">
      <ul aria-label="Attempts" className="flex flex-col gap-0.5">
        {newestFirst.map((attempt) => (
          <li key={attempt.id}>
            <button
              type="button"
              aria-pressed={attempt === chosen}
              onClick={() => setChosenId(attempt.id)}
              className={classes(
                'flex w-full items-center gap-2 rounded-md px-2 py-1.5 text-left text-[13px]',
                attempt === chosen ? 'bg-accent-wash' : 'hover:bg-hover',
              )}
            >
              <Dot tone={isTaken(attempt) ? 'ok' : 'bad'} />
              <span className="font-medium tabular-nums">{outcomeOf(attempt)}</span>
              <span className="ml-auto text-xs text-soft">
                <Time at={attempt.started_at} />
              </span>
            </button>
          </li>
        ))}
      </ul>
      <AttemptDetail key={chosen.id} attempt={chosen} eventId={event_id} />
    </div>
  );
}

interface AttemptDetailProps {
  readonly attempt: Attempt;
  readonly eventId: string;
}

function AttemptDetail({ attempt, eventId }: AttemptDetailProps) {
  const request = attempt.request as SentRequest;
  const isKnown = useMay()('api:event:read');
  // A request without a body here carried the event; what other kinds sent stands in the attempt.
  const isEvent = request.url !== undefined && request.body === undefined;
  const event = useQuery({ ...eventTextQuery(eventId), enabled: isKnown && isEvent });
  const body = request.body ?? (request.url === undefined ? request : event.data);
  return (
    <div className="flex min-w-0 flex-col gap-3">
      <div className="flex flex-wrap items-center justify-between gap-2 text-[13px] text-soft">
        <span>
          Attempt {attempt.number} took {attempt.duration_ms.toLocaleString()} ms
        </span>
        {request.url !== undefined && (
          <CopyAction text={toCurl({ ...request, body })} icon={Terminal} isSmall>
            Copy as curl
          </CopyAction>
        )}
      </div>
      <Message
        title="Request"
        line={request.url && `POST ${request.url}`}
        headers={request.headers}
        body={body}
      />
      <Message
        title="Response"
        line={
          attempt.status_code === null ? (attempt.error_code ?? 'No answer') : `Status ${attempt.status_code}`
        }
        headers={attempt.response_headers}
        body={attempt.response_body}
      />
    </div>
  );
}

function isTaken({ status_code, error_code }: Attempt): boolean {
  return error_code === null && (status_code === null || (status_code >= 200 && status_code < 300));
}

function outcomeOf({ status_code, error_code }: Attempt): string {
  return status_code === null ? (error_code ?? 'Delivered') : String(status_code);
}

/** What an attempt sent; channels that are no HTTP have other members. */
interface SentRequest {
  readonly url?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: unknown;
}

/** The request as a command line. Its signature is as old as the attempt, and its secrets are masked. */
function toCurl({ url = '', headers = {}, body }: SentRequest): string {
  const text = typeof body === 'string' ? body : body === undefined ? undefined : JSON.stringify(body);
  return [
    `curl -X POST ${quote(url)}`,
    ...Object.entries(headers).map(([name, value]) => `-H ${quote(`${name}: ${value}`)}`),
    ...(text === undefined ? [] : [`--data-raw ${quote(text)}`]),
  ].join(' \\\n  ');
}

/** For any POSIX shell: nothing within single quotes has a meaning but the quote itself. */
function quote(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}
