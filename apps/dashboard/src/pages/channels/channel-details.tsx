// SPDX-License-Identifier: Apache-2.0
import type { Channel } from '../../api/queries.ts';
import { Fact, Facts } from '../../ui/panel.tsx';
import { toWords } from '../../ui/status.tsx';
import { Time } from '../../ui/time.tsx';
import { storedAuth } from './form/channel-draft.ts';
import { targetOf } from './kinds.ts';
import { describeOrdering } from './ordering.ts';
import { describeProof, takesProofs } from './proofs.ts';
import { TimeTo } from './time-to.tsx';

/** Where it delivers to, what, and since when. */
export function ChannelDetails({ channel }: { readonly channel: Channel }) {
  return (
    <Facts>
      <Health channel={channel} />
      <Fact name="Target">
        <span className="font-mono break-all">{targetOf(channel)}</span>
      </Fact>
      <Fact name="Events">
        <span className="flex flex-wrap gap-1">
          {channel.config.event_types.map((type) => (
            <code key={type} className="rounded bg-sunken px-1.5 py-0.5 font-mono text-xs">
              {type}
            </code>
          ))}
        </span>
      </Fact>
      <FilterFacts channel={channel} />
      {takesProofs(channel.kind) && <Fact name="Proofs">{describeProof(proofOf(channel))}</Fact>}
      <DeliveryFacts channel={channel} />
      {channel.expression_errors !== null && (
        <Fact name="Events the expression failed for">
          {channel.expression_errors.count.toLocaleString('en')} · {channel.expression_errors.last_error} ·{' '}
          <Time at={channel.expression_errors.last_at} />
        </Fact>
      )}
      <Fact name="Added">
        <Time at={channel.created_at} isLong />
      </Fact>
    </Facts>
  );
}

/** What is wrong with it, and what happens next; nothing while it works. */
function Health({ channel }: { readonly channel: Channel }) {
  const { status, failure_reason, failing_since, failed_at, next_attempt_at } = channel;
  if (failure_reason === null) return null;
  if (status !== 'failing')
    return (
      <Fact name="Failed">
        {failed_at !== null && (
          <>
            <Time at={failed_at} />:{' '}
          </>
        )}
        {failure_reason}
      </Fact>
    );
  return (
    <Fact name="Failing">
      {failing_since !== null && (
        <>
          Failing since <Time at={failing_since} />.{' '}
        </>
      )}
      {next_attempt_at !== null && (
        <>
          Next try <TimeTo at={next_attempt_at} />.{' '}
        </>
      )}
      <span className="block text-soft">{failure_reason}</span>
    </Fact>
  );
}

/** Filters that are set, as the API names them. */
function FilterFacts({ channel: { config } }: { readonly channel: Channel }) {
  const { expression, ...filters } = config.filters;
  const set = Object.entries(filters).filter(([, value]) => value !== undefined);
  return (
    <>
      {set.length > 0 && (
        <Fact name="Filters">
          <ul className="flex flex-col gap-0.5">
            {set.map(([name, value]) => (
              <li key={name} className="break-words">
                {toWords(name)}: <span className="font-mono text-xs break-all">{sayFilter(value)}</span>
              </li>
            ))}
          </ul>
        </Fact>
      )}
      {expression !== undefined && (
        <Fact name="Expression">
          <code className="font-mono text-xs break-all">{expression}</code>
        </Fact>
      )}
    </>
  );
}

function sayFilter(value: unknown): string {
  if (Array.isArray(value)) return value.join(', ');
  if (typeof value !== 'object' || value === null) return String(value);
  return Object.entries(value)
    .map(([name, text]) => `${name}=${text}`)
    .join(', ');
}

/** What differs from the usual way of sending. */
function DeliveryFacts({ channel: { config } }: { readonly channel: Channel }) {
  const settings = config as Readonly<Record<string, unknown>>;
  const headers = Object.keys((settings.headers ?? {}) as object);
  const auth = storedAuth(config);
  return (
    <>
      {auth !== undefined && auth !== 'none' && (
        <Fact name="Authentication">{toWords(auth)}, stored and never shown</Fact>
      )}
      {headers.length > 0 && <Fact name="Headers">{headers.join(', ')}</Fact>}
      {typeof settings.throttle_per_second === 'number' && (
        <Fact name="Rate">at most {settings.throttle_per_second} per second</Fact>
      )}
      {settings.format === 'cloudevents' && <Fact name="Format">CloudEvents 1.0</Fact>}
      {config.ordering === 'strict' && <Fact name="Order">{describeOrdering(config)}</Fact>}
      {config.include_historical === true && <Fact name="Historical events">included</Fact>}
      {config.sandbox === true && <Fact name="Sandbox">no answer changes its status</Fact>}
    </>
  );
}

function proofOf({ config }: Channel): string {
  return ('include_proof' in config ? config.include_proof : undefined) ?? 'none';
}
