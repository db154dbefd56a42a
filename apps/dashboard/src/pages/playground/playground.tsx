// SPDX-License-Identifier: Apache-2.0
import { useQuery, useSuspenseQuery } from '@tanstack/react-query';
import { FlaskConical } from 'lucide-react';
import { useState } from 'react';
import { playgroundQuery } from '../../api/playground.ts';
import { sessionQuery } from '../../api/session.ts';
import { Empty, Problem, Waiting } from '../../ui/notice.tsx';
import { Page, Panel } from '../../ui/panel.tsx';
import { PaymentForm, type SentPayment } from './payment-form.tsx';
import { PaymentLine } from './payment-line.tsx';

/** Coins of the local chains, to see what becomes of a payment. */
export function PlaygroundPage() {
  const { playground_url: url } = useSuspenseQuery(sessionQuery).data;
  const query = useQuery(playgroundQuery(url));
  const [sent, setSent] = useState<readonly SentPayment[]>([]);
  return (
    <Page title="Playground" eyebrow="Local test chains. Coins have no value.">
      {url === null ? (
        <Panel>
          <Empty icon={<FlaskConical />} title="Available on a local stack only">
            npm start runs local test chains with coins to send.
          </Empty>
        </Panel>
      ) : query.error ? (
        <Problem error={query.error} onRetry={() => void query.refetch()} />
      ) : query.isPending ? (
        <Waiting rows={6} />
      ) : (
        <div className="grid grid-cols-[minmax(0,1fr)] items-start gap-5 xl:grid-cols-[24rem_minmax(0,1fr)]">
          <Panel title="Send a test payment">
            <PaymentForm
              url={url}
              coins={query.data}
              onSent={(payment) => setSent((before) => [payment, ...before])}
            />
          </Panel>
          <Panel title="Payments" isFlush>
            {sent.length === 0 ? (
              <Empty icon={<FlaskConical />} title="No payments yet">
                Send a test payment to an address of this project. It is detected, confirmed, and delivered to
                your channels within seconds.
              </Empty>
            ) : (
              <ul aria-label="Payments" className="divide-y divide-line">
                {sent.map((payment) => (
                  <PaymentLine key={payment.hash} payment={payment} />
                ))}
              </ul>
            )}
          </Panel>
        </div>
      )}
    </Page>
  );
}
