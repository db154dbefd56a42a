// SPDX-License-Identifier: Apache-2.0
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';

export interface CollectedSpan {
  readonly name: string;
  readonly kind: 'internal' | 'server' | 'client' | 'producer' | 'consumer';
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId: string | undefined;
  readonly attributes: Readonly<Record<string, unknown>>;
  /** Trace IDs of the links. */
  readonly links: readonly string[];
  readonly isFailed: boolean;
}

export interface TraceCollectorHandle {
  /** For OTEL_EXPORTER_OTLP_ENDPOINT. */
  readonly url: string;
  readonly spans: readonly CollectedSpan[];
  stop(): void;
}

interface OtlpSpan {
  readonly name: string;
  readonly kind: number;
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly attributes: readonly { readonly key: string; readonly value: Readonly<Record<string, unknown>> }[];
  readonly links: readonly { readonly traceId: string }[];
  readonly status: { readonly code?: number };
}

interface OtlpRequest {
  readonly resourceSpans: readonly {
    readonly scopeSpans: readonly { readonly spans: readonly OtlpSpan[] }[];
  }[];
}

/** SpanKind of https://github.com/open-telemetry/opentelemetry-proto, by number. */
const KINDS = ['internal', 'internal', 'server', 'client', 'producer', 'consumer'] as const;
const FAILED = 2;

/** Takes spans as a collector does, OTLP over HTTP in JSON, and keeps them. */
export async function startTraceCollector(): Promise<TraceCollectorHandle> {
  const spans: CollectedSpan[] = [];
  const server = createServer((req, res) => {
    void json(req).then((body) => {
      const { resourceSpans } = body as OtlpRequest;
      for (const { scopeSpans } of resourceSpans)
        for (const scope of scopeSpans) spans.push(...scope.spans.map(readSpan));
      res.end('{}');
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    spans,
    stop() {
      server.close();
      server.closeAllConnections();
    },
  };
}

function readSpan({
  name,
  kind,
  traceId,
  spanId,
  parentSpanId,
  attributes,
  links,
  status,
}: OtlpSpan): CollectedSpan {
  return {
    ...{ name, kind: KINDS[kind] ?? 'internal', traceId, spanId, parentSpanId },
    attributes: Object.fromEntries(attributes.map(({ key, value }) => [key, Object.values(value)[0]])),
    links: links.map((link) => link.traceId),
    isFailed: status.code === FAILED,
  };
}
