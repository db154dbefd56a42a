import { AsyncLocalStorage } from 'node:async_hooks';
import {
  context,
  isSpanContextValid,
  ROOT_CONTEXT,
  SpanKind,
  SpanStatusCode,
  trace,
  type Attributes,
  type Span,
} from '@opentelemetry/api';
import { formatTraceparent, newTraceparent, parseTraceparent } from './traceparent.ts';

export interface SpanOptions {
  /** Continues this trace; without it the current one, or a new one. */
  readonly traceparent?: string;
  readonly attributes?: Attributes;
  readonly kind?: 'producer' | 'consumer' | 'client' | 'server';
  /**
   * Nothing inside asks for the current trace. If nothing is recorded, the context is then not carried along,
   * which would cost every promise.
   */
  readonly isLeaf?: boolean;
}

/** What code inside of a span may do with it. */
export interface ActiveSpan {
  /** To be stored or sent on. */
  readonly traceparent: string;
  setAttributes(attributes: Attributes): void;
}

const KINDS = {
  producer: SpanKind.PRODUCER,
  consumer: SpanKind.CONSUMER,
  client: SpanKind.CLIENT,
  server: SpanKind.SERVER,
} as const;
/** Carries the trace context while nothing is recorded, so that a service without an exporter does not break the trace. */
const unrecorded = new AsyncLocalStorage<string>();
let isRecording = false;

/** Called by startTelemetry where spans are exported. */
export function setRecording(value: boolean): void {
  isRecording = value;
}

/** Runs `work` in a span, which ends with it; a rejection is recorded and passed on. */
export async function withSpan<T>(
  name: string,
  options: SpanOptions,
  work: (span: ActiveSpan) => T | Promise<T>,
): Promise<T> {
  if (!isRecording) {
    const traceparent = newTraceparent(options.traceparent ?? unrecorded.getStore());
    const span = { traceparent, setAttributes: () => undefined };
    return options.isLeaf === true ? work(span) : unrecorded.run(traceparent, async () => work(span));
  }
  const remote = parseTraceparent(options.traceparent);
  const parent = remote === undefined ? context.active() : trace.setSpanContext(ROOT_CONTEXT, remote);
  const kind = options.kind === undefined ? SpanKind.INTERNAL : KINDS[options.kind];
  return trace
    .getTracer('chainwatch')
    .startActiveSpan(name, { attributes: options.attributes, kind }, parent, (span) => runInSpan(span, work));
}

/** The trace context of the span that runs, undefined outside of one. */
export function currentTraceparent(): string | undefined {
  if (!isRecording) return unrecorded.getStore();
  const active = trace.getActiveSpan()?.spanContext();
  return active !== undefined && isSpanContextValid(active) ? formatTraceparent(active) : undefined;
}

async function runInSpan<T>(span: Span, work: (span: ActiveSpan) => T | Promise<T>): Promise<T> {
  try {
    return await work({
      traceparent: formatTraceparent(span.spanContext()),
      setAttributes: (attributes) => void span.setAttributes(attributes),
    });
  } catch (error) {
    span.recordException(error instanceof Error ? error : String(error));
    span.setStatus({ code: SpanStatusCode.ERROR });
    throw error;
  } finally {
    span.end();
  }
}
