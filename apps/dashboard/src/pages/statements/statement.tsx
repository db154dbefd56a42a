// SPDX-License-Identifier: Apache-2.0
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { Link, useNavigate, useParams } from '@tanstack/react-router';
import { Download, Trash2 } from 'lucide-react';
import { api, bodyOf } from '../../api/client.ts';
import { useMay } from '../../api/session.ts';
import { downloadStatement, statementQuery, type Statement } from '../../api/statement-queries.ts';
import { Button } from '../../ui/button.tsx';
import { ConfirmButton } from '../../ui/confirm-button.tsx';
import { NoPermission } from '../../ui/no-permission.tsx';
import { Problem, Waiting } from '../../ui/notice.tsx';
import { Page, Panel } from '../../ui/panel.tsx';
import { saveFile } from '../../ui/save-file.ts';
import { Status } from '../../ui/status.tsx';
import { tell, tellProblem } from '../../ui/toast.tsx';
import { CheckPanel } from './check-panel.tsx';
import { sayPeriod } from './describe-statement.ts';
import { SignaturePanel } from './signature-panel.tsx';
import { StatementDetails } from './statement-details.tsx';
import { StatementProgress } from './statement-progress.tsx';

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
