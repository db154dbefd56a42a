// SPDX-License-Identifier: Apache-2.0
import { randomBytes, randomUUID } from 'node:crypto';
import type { SpanContext } from '@opentelemetry/api';

const TRACEPARENT = /^00-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})$/;

/** Reads W3C Trace Context. Undefined for an invalid text, which starts a new trace. */
export function parseTraceparent(text: string | undefined): SpanContext | undefined {
  const match = TRACEPARENT.exec(text ?? '');
  if (match === null || /^0+$/.test(match[1]!) || /^0+$/.test(match[2]!)) return undefined;
  return {
    traceId: match[1]!,
    spanId: match[2]!,
    traceFlags: Number.parseInt(match[3]!, 16),
    isRemote: true,
  };
}

export function formatTraceparent({ traceId, spanId, traceFlags }: SpanContext): string {
  return `00-${traceId}-${spanId}-${traceFlags.toString(16).padStart(2, '0')}`;
}

/** The root of a new trace, or a new span in the trace of `parent`. */
export function newTraceparent(parent?: string): string {
  const context = parseTraceparent(parent);
  return formatTraceparent({
    traceId: context?.traceId ?? randomBytes(16).toString('hex'),
    spanId: newSpanId(),
    traceFlags: context?.traceFlags ?? 1,
  });
}

/** The random digits of a UUID: Node makes UUIDs many at a time, which is cheap, and every delivery needs an id. */
function newSpanId(): string {
  const uuid = randomUUID();
  return uuid.slice(24) + uuid.slice(0, 4);
}
