import type { Channel } from '../../api/queries.ts';
import { Fact, Facts } from '../../ui/panel.tsx';
import { Time } from '../../ui/time.tsx';
import { targetOf } from './kinds.ts';
import { describeOrdering } from './ordering.ts';
import { describeProof, takesProofs } from './proofs.ts';

/** Where it delivers to, what, and since when. */
export function ChannelDetails({ channel }: { readonly channel: Channel }) {
  return (
    <Facts>
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
      {takesProofs(channel.kind) && <Fact name="Proofs">{describeProof(proofOf(channel))}</Fact>}
      {channel.config.sandbox === true && <Fact name="Sandbox">no answer changes its status</Fact>}
      {channel.config.ordering === 'strict' && <Fact name="Order">{describeOrdering(channel.config)}</Fact>}
      {channel.config.filters.expression !== undefined && (
        <Fact name="Expression">
          <code className="font-mono text-xs break-all">{channel.config.filters.expression}</code>
        </Fact>
      )}
      {channel.expression_errors !== null && (
        <Fact name="Events it could not be evaluated for">
          {channel.expression_errors.count.toLocaleString('en')} · {channel.expression_errors.last_error} ·{' '}
          <Time at={channel.expression_errors.last_at} />
        </Fact>
      )}
      {channel.failure_reason !== null && <Fact name="Given up">{channel.failure_reason}</Fact>}
      <Fact name="Added">
        <Time at={channel.created_at} isLong />
      </Fact>
    </Facts>
  );
}

function proofOf({ config }: Channel): string {
  return ('include_proof' in config ? config.include_proof : undefined) ?? 'none';
}
