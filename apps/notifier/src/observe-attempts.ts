// SPDX-License-Identifier: Apache-2.0
import type { Attempt } from '@chainwatch/channels';
import type { DeliveryDependencies } from '@chainwatch/deliveries';
import {
  counter,
  histogram,
  isTracing,
  WAIT_BUCKETS,
  withSpan,
  type ActiveSpan,
} from '@chainwatch/platform/telemetry';

const attempts = counter('chainwatch_delivery_attempts_total', {
  description: 'Attempts to deliver an event, by outcome.',
});
const durations = histogram('chainwatch_delivery_attempt_seconds', {
  description: 'How long attempts took.',
});
const untilAttempt = histogram('chainwatch_event_attempt_seconds', {
  description: 'From when an event was made until its first attempt began.',
  buckets: WAIT_BUCKETS,
});
const untilDelivered = histogram('chainwatch_event_delivered_seconds', {
  description: 'From when an event was made until its receiver had accepted it.',
  buckets: WAIT_BUCKETS,
});

const expressionErrors = counter('chainwatch_expression_errors_total', {
  description: 'Events that the expression of a channel could not be evaluated for, by this replica.',
});

/** A span for each attempt; metrics of it, and of how long its events were on their way. */
export function observeAttempts(): Required<
  Pick<DeliveryDependencies, 'trace' | 'onAttempt' | 'onExpressionFaults'>
> {
  return {
    onExpressionFaults: (count) => expressionErrors.add(count),
    trace: ({ traceparent, others, eventType, channelId, channelKind }, work) =>
      withSpan(
        'deliver',
        {
          ...{ traceparent, links: others, kind: 'client', isLeaf: true },
          attributes: { event_type: eventType, channel_id: channelId, channel_kind: channelKind },
        },
        async (span) => {
          const attempts = await work(span.traceparent);
          const [first] = attempts;
          if (first !== undefined && isTracing()) describe(span, first);
          return attempts;
        },
      ),
    onAttempt: ({ startedAt, durationMs, errorCode }, jobs) => {
      attempts.add(1, { outcome: errorCode ?? 'delivered' });
      durations.record(durationMs / 1_000);
      for (const { eventAt, isFirst } of jobs) {
        if (eventAt === undefined) continue;
        const waitMs = Math.max(0, startedAt.getTime() - eventAt.getTime());
        if (isFirst) untilAttempt.record(waitMs / 1_000);
        if (errorCode === undefined) untilDelivered.record((waitMs + durationMs) / 1_000);
      }
    },
  };
}

/** The conventions of OpenTelemetry for clients of HTTP and messaging. Of the receiver's URL the host alone: the rest is a secret. */
function describe(span: ActiveSpan, { request, statusCode, errorCode }: Attempt): void {
  const { method, url, subject } = request;
  const { hostname = undefined, port = '' } = URL.canParse(url) ? new URL(url) : {};
  span.setAttributes({
    ...(method === 'POST' && { 'http.request.method': 'POST', 'http.response.status_code': statusCode }),
    ...(method === 'PUB' && {
      ...{ 'messaging.system': 'nats', 'messaging.operation.type': 'send' },
      'messaging.destination.name': subject,
    }),
    'server.address': hostname,
    'server.port': port === '' ? undefined : Number(port),
  });
  if (errorCode !== undefined) span.fail(statusCode === undefined ? errorCode : String(statusCode));
}
