// SPDX-License-Identifier: Apache-2.0
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { Link, useNavigate, useParams } from '@tanstack/react-router';
import { Download, Trash2 } from 'lucide-react';
import { api, bodyOf } from '../../api/client.ts';
import { useMay } from '../../api/session.ts';
import { downloadStatement, statementQuery, type Statement, isWriting } from '../../api/statement-queries.ts';
import { Button } from '../../ui/button.tsx';
import { ConfirmButton } from '../../ui/confirm-button.tsx';
import { NoPermission } from '../../ui/no-permission.tsx';
import { Problem, Waiting } from '../../ui/notice.tsx';
import { Page, Panel, Fact, Facts } from '../../ui/panel.tsx';
import { saveFile } from '../../ui/save-file.ts';
import { Status } from '../../ui/status.tsx';
import { tell, tellProblem } from '../../ui/toast.tsx';
import { CheckPanel } from './check-panel.tsx';
import { sayPeriod, sayGaps, saySize } from './describe-statement.ts';
import { Hash } from '../../ui/copy.tsx';
import { KeysLink } from './keys-link.tsx';
import { Progress } from '../../ui/progress.tsx';
import { Tile, Tiles } from '../../ui/rows.tsx';
import { useChainName } from '../../api/queries.ts';
import { Time } from '../../ui/time.tsx';

export function StatementPage() {
  const { id } = useParams({ from: '/shell/statements/$id' });
  const mayRead = useMay()('api:statement:read');
  const query = useQuery({ ...statementQuery(id), enabled: mayRead });
  if (!mayRead) return <NoPermission title="Statement" permission="api:statement:read" />;
  if (query.isPending) return <Waiting rows={10} />;
  if (query.error)
    return (
      <Page title="Statement">
        <Problem error={query.error} onRetry={() => void query.refetch()} />
      </Page>
    );
  const statement = query.data;
  return (
    <Page
      eyebrow={
        <Link to="/statements" className="hover:text-ink">
          Statements
        </Link>
      }
      title={
        <span className="flex flex-wrap items-center gap-x-3 gap-y-1">
          {sayPeriod(statement)}
          <Status of={statement.status} />
        </span>
      }
      actions={<Actions statement={statement} />}
    >
      <div className="grid grid-cols-[minmax(0,1fr)] items-start gap-5 xl:grid-cols-[minmax(0,1fr)_24rem]">
        <div className="flex min-w-0 flex-col gap-5">
          <StatementProgress statement={statement} />
          {statement.status === 'completed' && <CheckPanel statement={statement} />}
          {statement.signature !== null && <SignaturePanel signature={statement.signature} />}
        </div>
        <Panel title="Details">
          <StatementDetails statement={statement} />
        </Panel>
      </div>
    </Page>
  );
}

function Actions({ statement: { id, status, format } }: { readonly statement: Statement }) {
  const client = useQueryClient();
  const navigate = useNavigate();
  const downloading = useMutation({
    mutationFn: async () => saveFile(await downloadStatement(id), `statement-${id}.${format}`),
    onError: tellProblem,
  });
  const deleting = useMutation({
    mutationFn: () =>
      bodyOf(api.DELETE('/statements/{statement_id}', { params: { path: { statement_id: id } } })),
    onSuccess: async () => {
      tell('Statement deleted');
      // Its row must not be seen again, not for a moment.
      client.removeQueries({ queryKey: ['statements', 'list'] });
      await navigate({ to: '/statements' });
      client.removeQueries({ queryKey: ['statements', id] });
    },
    onError: tellProblem,
  });
  return (
    <>
      {useMay()('api:statement:write') && (
        <ConfirmButton
          look="danger"
          isBusy={deleting.isPending}
          icon={<Trash2 aria-hidden className="size-4" />}
          question="Delete this statement?"
          consequence="Also deletes the document. Downloaded copies stay valid: their signatures can still be verified."
          onConfirm={() => deleting.mutate()}
        >
          Delete
        </ConfirmButton>
      )}
      {status === 'completed' && (
        <Button
          look="primary"
          isBusy={downloading.isPending}
          icon={<Download aria-hidden className="size-4" />}
          onClick={() => downloading.mutate()}
        >
          Download {format.toUpperCase()}
        </Button>
      )}
    </>
  );
}

/** Who signed which bytes: what a receiver needs beside the document. */
function SignaturePanel({
  signature: { kid, algorithm, sha256, value },
}: {
  readonly signature: NonNullable<Statement['signature']>;
}) {
  return (
    <Panel title="Signature" aside={<KeysLink />}>
      <Facts>
        <Fact name="Key ID (kid)">
          <Hash text={kid} isWhole />
        </Fact>
        <Fact name="Algorithm">{algorithm}</Fact>
        <Fact name="SHA-256">
          <Hash text={sha256} isWhole />
        </Fact>
        <Fact name="Signature">
          <Hash text={value} isWhole />
        </Fact>
      </Facts>
      <p className="mt-3 text-xs text-faint">
        The signature shows who signed the document, not that the chain agrees. Receivers should keep a copy
        of the public keys.
      </p>
    </Panel>
  );
}

/** How far it is, why it failed, and how much it declares not to know. */
function StatementProgress({ statement }: { readonly statement: Statement }) {
  const { status, reason, progress, size } = statement;
  const { addresses_done: done, addresses_total: total, movements, gaps, unexplained } = progress;
  return (
    <>
      {reason !== null && (
        <Panel title={status === 'failed' ? 'Failed' : 'Retrying'}>
          <p className={`text-[13px] break-words ${status === 'failed' ? 'text-bad' : 'text-warn'}`}>
            {reason}
          </p>
        </Panel>
      )}
      {isWriting(statement) && (
        <Panel title={status === 'queued' ? 'Waiting to start' : 'Writing'}>
          <div aria-live="polite" className="flex flex-col gap-1.5 text-[13px] text-soft tabular-nums">
            <Progress label="Addresses written" value={status === 'queued' ? undefined : done} max={total} />
            {done.toLocaleString()} of {total.toLocaleString()} addresses
          </div>
        </Panel>
      )}
      <Tiles>
        <Tile name="Addresses" value={total.toLocaleString()} />
        <Tile name="Movements" value={movements.toLocaleString()} />
        <Tile
          name="Declared gaps"
          value={sayGaps(statement)}
          note={gaps === 0 ? undefined : 'What the statement does not know'}
        />
        {unexplained > 0 && (
          <Tile
            name="Unexplained balances"
            value={unexplained.toLocaleString()}
            note="No movement explains a part of them"
          />
        )}
        <Tile name="Document" value={size === null ? '–' : saySize(size)} />
      </Tiles>
    </>
  );
}

const SHOWN = 20;

function StatementDetails({ statement }: { readonly statement: Statement }) {
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
