// SPDX-License-Identifier: Apache-2.0
import { Link } from '@tanstack/react-router';
import { useChainName } from '../../api/queries.ts';
import type { Statement } from '../../api/statement-queries.ts';
import { Hash } from '../../ui/copy.tsx';
import { Fact, Facts } from '../../ui/panel.tsx';
import { Time } from '../../ui/time.tsx';

const SHOWN = 20;

export function StatementDetails({ statement }: { readonly statement: Statement }) {
  const nameOf = useChainName();
  const { chain_gids, from, to, format, created_at, finished_at, expires_at, id } = statement;
  return (
    <Facts>
      <Fact name="Addresses">
        <Selection statement={statement} />
      </Fact>
      <Fact name="Chains">
        {chain_gids === null ? 'All chains of the addresses' : chain_gids.map(nameOf).join(', ')}
      </Fact>
      <Fact name="From">
        <time dateTime={from}>{from}</time> (inclusive)
      </Fact>
      <Fact name="To">
        <time dateTime={to}>{to}</time> (exclusive)
      </Fact>
      <Fact name="Format">{format.toUpperCase()}</Fact>
      <Fact name="Created">
        <Time at={created_at} isLong />
      </Fact>
      {finished_at !== null && (
        <Fact name="Finished">
          <Time at={finished_at} isLong />
        </Fact>
      )}
      {expires_at !== null && (
        <Fact name="Expires">
          <Time at={expires_at} isLong />
        </Fact>
      )}
      <Fact name="ID">
        <Hash text={id} isWhole />
      </Fact>
    </Facts>
  );
}

function Selection({ statement: { addresses, group, public_key_id } }: { readonly statement: Statement }) {
  if (group !== null)
    return (
      <Link to="/addresses" search={{ groups: [group] }} className="text-accent-ink hover:underline">
        Group {group}
      </Link>
    );
  if (public_key_id !== null)
    return (
      <Link to="/public-keys/$id" params={{ id: public_key_id }} className="text-accent-ink hover:underline">
        All of a public key
      </Link>
    );
  return (
    <ul>
      {addresses?.slice(0, SHOWN).map((address) => (
        <li key={address}>
          <Hash text={address} />
        </li>
      ))}
      {addresses !== null && addresses.length > SHOWN && (
        <li className="text-faint">{(addresses.length - SHOWN).toLocaleString()} more</li>
      )}
    </ul>
  );
}
