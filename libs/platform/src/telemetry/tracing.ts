// SPDX-License-Identifier: Apache-2.0
import { AsyncLocalStorage } from 'node:async_hooks';
import type { IncomingMessage, ServerResponse } from 'node:http';
import {
  context,
  isSpanContextValid,
  ROOT_CONTEXT,
  SpanKind,
  SpanStatusCode,
  trace,
  type Attributes,
  type Link,
  type Span,
} from '@opentelemetry/api';
import { formatTraceparent, newTraceparent, parseTraceparent } from './traceparent.ts';

export interface SpanOptions {
  /** Continues this trace; without it the current one, or a new one. */
  readonly traceparent?: string;
  /** Other traces that the work is part of: events that go out in one message. */
  readonly links?: readonly string[];
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
  /** Names the span anew, where its kind is known only later: the route of a request. */
  rename(name: string): void;
  /** The work failed without an error of its own: `error.type` says how, such as a status. */
  fail(type: string): void;
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
const nothing = (): void => undefined;
const NOT_RECORDED = { setAttributes: nothing, rename: nothing, fail: nothing };

/** Whether spans are recorded: what is only made for them can be left out. */
export function isTracing(): boolean {
  return isRecording;
}

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
    const span = { traceparent, ...NOT_RECORDED };
    return options.isLeaf === true ? work(span) : unrecorded.run(traceparent, async () => work(span));
  }
  const remote = parseTraceparent(options.traceparent);
  const parent = remote === undefined ? context.active() : trace.setSpanContext(ROOT_CONTEXT, remote);
  const kind = options.kind === undefined ? SpanKind.INTERNAL : KINDS[options.kind];
  return trace
    .getTracer('chainwatch')
    .startActiveSpan(
      name,
      { attributes: options.attributes, kind, links: listLinks(options.links) },
      parent,
      (span) => runInSpan(span, work),
    );
}

/**
 * A span of one call to another system, ended by calling what it returns, with `error.type` if the call failed. Only within
 * a recorded span: what a service asks while it has nothing to do is no trace. Undefined otherwise.
 */
export function startCall(name: string, attributes: Attributes): ((errorType?: string) => void) | undefined {
  if (!isRecording || trace.getActiveSpan() === undefined) return undefined;
  const span = trace.getTracer('chainwatch').startSpan(name, { attributes, kind: SpanKind.CLIENT });
  return (errorType) => {
    if (errorType !== undefined) failSpan(span, errorType);
    span.end();
  };
}

/** The trace context of the span that runs, undefined outside of one. */
export function currentTraceparent(): string | undefined {
  if (!isRecording) return unrecorded.getStore();
  const active = trace.getActiveSpan()?.spanContext();
  return active !== undefined && isSpanContextValid(active) ? formatTraceparent(active) : undefined;
}

function listLinks(traceparents: readonly string[] = []): Link[] {
  return traceparents.flatMap((traceparent) => {
    const context = parseTraceparent(traceparent);
    return context === undefined ? [] : [{ context }];
  });
}

async function runInSpan<T>(span: Span, work: (span: ActiveSpan) => T | Promise<T>): Promise<T> {
  try {
    return await work({
      traceparent: formatTraceparent(span.spanContext()),
      setAttributes: (attributes) => void span.setAttributes(attributes),
      rename: (name) => void span.updateName(name),
      fail: (type) => failSpan(span, type),
    });
  } catch (error) {
    span.recordException(error instanceof Error ? error : String(error));
    failSpan(span, error instanceof Error ? error.name : 'error');
    throw error;
  } finally {
    span.end();
  }
}

function failSpan(span: Span, type: string): void {
  span.setAttribute('error.type', type);
  span.setStatus({ code: SpanStatusCode.ERROR });
}

/**
 * Handles a request in a span that lasts to the end of its answer and continues the caller's trace, if spans are recorded
 * (OpenTelemetry's conventions for HTTP servers). `readRoute` is asked at the end; without `path` the span tells none.
 */
export function traceRequest(
  req: IncomingMessage,
  res: ServerResponse,
  { path, readRoute, handle }: { path?: string; readRoute: () => string | undefined; handle: () => void },
): void {
  if (!isTracing()) return handle();
  const { method = 'GET', headers } = req;
  const attributes = {
    'http.request.method': method,
    'url.path': path,
    'user_agent.original': headers['user-agent']?.slice(0, 256),
  };
  const traceparent = headers['traceparent'] as string | undefined;
  void withSpan(method, { kind: 'server', traceparent, attributes }, async (span) => {
    const closed = new Promise<void>((resolve) => void res.once('close', () => resolve()));
    handle();
    await closed;
    const route = readRoute();
    if (route !== undefined) span.rename(`${method} ${route}`);
    span.setAttributes({ 'http.route': route, 'http.response.status_code': res.statusCode });
    if (res.statusCode >= 500) span.fail(String(res.statusCode));
  });
}
