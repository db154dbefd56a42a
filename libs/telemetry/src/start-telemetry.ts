// SPDX-License-Identifier: Apache-2.0
import type { IncomingMessage, ServerResponse } from 'node:http';
import { context, metrics, propagation, trace } from '@opentelemetry/api';
import packageJson from '../package.json' with { type: 'json' };
import { createMetricsHandler } from './create-metrics-handler.ts';
import { gauge, rebindInstruments } from './instruments.ts';
import { observeProcess } from './observe-process.ts';
import { setRecording } from './tracing.ts';

export interface TelemetryOptions {
  readonly serviceName: string;
  /** Default: this release's. */
  readonly serviceVersion?: string;
  /** What the release was built from. Default BUILD_COMMIT. */
  readonly commit?: string;
  readonly instanceId?: string;
  /**
   * Where spans are exported to (OTLP over HTTP). Default OTEL_EXPORTER_OTLP_ENDPOINT; without either no span
   * is recorded.
   */
  readonly endpoint?: string;
}

export interface Telemetry {
  /** Answers a scrape in Prometheus's text format. */
  handleMetrics(req: IncomingMessage, res: ServerResponse): void;
  stop(): Promise<void>;
}

const STOP_MS = 3_000;

const builds = gauge('chainwatch_build_info', {
  description: '1: the service runs, in this version, built from this commit.',
});

/**
 * Starts OpenTelemetry: metrics for scraping, and spans if there is an endpoint to export them to. The SDK is
 * loaded here and not before.
 */
export async function startTelemetry(options: TelemetryOptions): Promise<Telemetry> {
  const {
    serviceName,
    serviceVersion = packageJson.version,
    commit = process.env.BUILD_COMMIT || 'unknown',
    instanceId,
    endpoint = process.env.OTEL_EXPORTER_OTLP_ENDPOINT,
  } = options;
  const [
    { NodeSDK, resources, tracing },
    { PrometheusExporter, PrometheusSerializer },
    { createSampler, SampledAndFailed },
  ] = await Promise.all([
    import('@opentelemetry/sdk-node'),
    import('@opentelemetry/exporter-prometheus'),
    import('./sampling.ts'),
  ]);
  const resource = resources.resourceFromAttributes({
    'service.version': serviceVersion,
    'service.instance.id': instanceId,
  });
  const exporter = new PrometheusExporter({
    preventServerStart: true,
    withoutScopeInfo: true,
  });
  const traceExporter = endpoint ? await createTraceExporter(endpoint) : undefined;
  const sdk = new NodeSDK({
    serviceName,
    resource,
    // OTEL_RESOURCE_ATTRIBUTES alone: hostname and process cost start-up time and repeat what the scraper knows.
    resourceDetectors: [resources.envDetector],
    metricReaders: [exporter],
    logRecordProcessors: [],
    sampler: createSampler(process.env),
    spanProcessors:
      traceExporter === undefined
        ? []
        : [new SampledAndFailed(new tracing.BatchSpanProcessor(traceExporter))],
  });
  sdk.start();
  setRecording(traceExporter !== undefined);
  rebindInstruments();
  const stopObserving = observeProcess();
  builds.set(1, { service: serviceName, version: serviceVersion, commit });
  return {
    handleMetrics: createMetricsHandler(
      exporter,
      new PrometheusSerializer(undefined, false, undefined, false, true),
    ),
    async stop() {
      setRecording(false);
      stopObserving();
      // A collector that does not answer must not delay the shutdown.
      await Promise.race([
        sdk.shutdown().catch(() => undefined),
        new Promise((resolve) => setTimeout(resolve, STOP_MS).unref()),
      ]);
      // The API keeps what was registered first.
      for (const part of [context, metrics, propagation, trace]) part.disable();
    },
  };
}

async function createTraceExporter(endpoint: string) {
  const { OTLPTraceExporter } = await import('@opentelemetry/exporter-trace-otlp-http');
  return new OTLPTraceExporter({ url: `${endpoint.replace(/\/+$/, '')}/v1/traces` });
}
