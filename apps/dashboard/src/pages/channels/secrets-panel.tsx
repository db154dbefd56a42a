// SPDX-License-Identifier: Apache-2.0
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { KeyRound } from 'lucide-react';
import { useState } from 'react';
import { webhookSecretsQuery } from '../../api/channel-queries.ts';
import { api, bodyOf } from '../../api/client.ts';
import { useMay } from '../../api/session.ts';
import { ConfirmButton } from '../../ui/confirm-button.tsx';
import { Problem, Waiting } from '../../ui/notice.tsx';
import { Fact, Facts, Panel } from '../../ui/panel.tsx';
import { SecretDialog } from '../../ui/secret-dialog.tsx';
import { Time, TimeLeft } from '../../ui/time.tsx';
import { tell, tellProblem } from '../../ui/toast.tsx';

/** What signs the deliveries of a webhook, and its rotation. */
export function SecretsPanel({ channelId }: { readonly channelId: string }) {
  const query = useQuery(webhookSecretsQuery(channelId));
  const may = useMay();
  return (
    <Panel title="Signing secret">
      {query.error ? (
        <Problem error={query.error} onRetry={() => void query.refetch()} />
      ) : query.isPending ? (
        <Waiting rows={2} />
      ) : (
        <>
          <Facts>
            <Fact name="Signs">
              <code className="font-mono break-all">{query.data.current.mask}</code>
            </Fact>
            <Fact name="Since">
              <Time at={query.data.current.created_at} />
            </Fact>
            <Fact name="Last used">
              {query.data.current.last_used_at === null ? (
                <span className="text-faint">never</span>
              ) : (
                <Time at={query.data.current.last_used_at} />
              )}
            </Fact>
            {query.data.previous && (
              <Fact name="Previous secret">
                <code className="font-mono break-all">{query.data.previous.mask}</code>
                <span className="block text-soft">
                  for another <TimeLeft until={query.data.previous.expires_at} />
                </span>
              </Fact>
            )}
          </Facts>
          {may('api:webhook_secret:rotate') && (
            <Rotation channelId={channelId} isOverlapping={query.data.previous !== null} />
          )}
        </>
      )}
    </Panel>
  );
}

interface RotationProps {
  readonly channelId: string;
  /** While two sign there is no third one. */
  readonly isOverlapping: boolean;
}

function Rotation({ channelId, isOverlapping }: RotationProps) {
  const client = useQueryClient();
  const [secret, setSecret] = useState<string>();
  const params = { path: { notification_channel_id: channelId } };
  const refresh = () => client.invalidateQueries(webhookSecretsQuery(channelId));
  const rotating = useMutation({
    mutationFn: () =>
      bodyOf(
        api.POST('/notification_channels/{notification_channel_id}/webhook-secrets/actions/rotate', {
          params,
        }),
      ),
    onSuccess: ({ webhook_secret }) => setSecret(webhook_secret),
    onError: tellProblem,
    onSettled: refresh,
  });
  const ending = useMutation({
    mutationFn: () =>
      bodyOf(
        api.DELETE('/notification_channels/{notification_channel_id}/webhook-secrets/previous', { params }),
      ),
    onSuccess: () => tell('Overlap ended. Only the new secret signs.'),
    onError: tellProblem,
    onSettled: refresh,
  });
  return (
    <div className="mt-4">
      {isOverlapping ? (
        <ConfirmButton
          isSmall
          isBusy={ending.isPending}
          question="End the overlap now?"
          consequence="The old secret stops signing. Receivers that know only the old secret reject every delivery."
          onConfirm={() => ending.mutate()}
        >
          End the overlap
        </ConfirmButton>
      ) : (
        <ConfirmButton
          isSmall
          isBusy={rotating.isPending}
          icon={<KeyRound aria-hidden className="size-3.5" />}
          question="Rotate the signing secret?"
          consequence="Both secrets sign for 24 hours. Update your receivers within that time."
          onConfirm={() => rotating.mutate()}
        >
          Rotate
        </ConfirmButton>
      )}
      {secret !== undefined && (
        <SecretDialog
          title="The new secret"
          label="Signing secret"
          secret={secret}
          onClose={() => setSecret(undefined)}
        >
          It is shown only once. For 24 hours, deliveries have a signature of each secret.
        </SecretDialog>
      )}
    </div>
  );
}
