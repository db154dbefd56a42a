// SPDX-License-Identifier: Apache-2.0
import type { IncomingMessage, ServerResponse } from 'node:http';
import { monitorEventLoopDelay, type IntervalHistogram } from 'node:perf_hooks';
import { context, metrics, propagation, trace } from '@opentelemetry/api';
import type { metrics as sdkMetrics } from '@opentelemetry/sdk-node';
import packageJson from '../../package.json' with { type: 'json' };
import { gauge, rebindInstruments, readForScrape } from './instruments.ts';
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

const RESOLUTION_MS = 20;
/** A scrape tells of this window and the one before, whoever else scrapes. */
const WINDOW_MS = 15_000;

/** The metrics that every operator asks for first, under the names that Prometheus' clients have. Returns stop. */
function observeProcess(): () => void {
  const meter = metrics.getMeter('chainwatch');
  meter
    .createObservableGauge('process_resident_memory_bytes')
    .addCallback((result) => result.observe(process.memoryUsage.rss()));
  meter
    .createObservableGauge('nodejs_heap_size_used_bytes')
    .addCallback((result) => result.observe(process.memoryUsage().heapUsed));
  meter.createObservableCounter('process_cpu_seconds').addCallback((result) => {
    const { user, system } = process.cpuUsage();
    result.observe((user + system) / 1e6);
  });
  const lag = followLag();
  meter
    .createObservableGauge('nodejs_eventloop_lag_p99_seconds')
    .addCallback((result) => result.observe(lag.read((delays) => delays.percentile(99))));
  meter
    .createObservableGauge('nodejs_eventloop_lag_max_seconds')
    .addCallback((result) => result.observe(lag.read(({ max }) => max)));
  return lag.stop;
}

/** How late the event loop was, in two windows that take turns. */
function followLag(): { read(pick: (delays: IntervalHistogram) => number): number; stop(): void } {
  let windows = [createWindow(), createWindow()] as const;
  const timer = setInterval(() => {
    const [older, newer] = windows;
    older.disable();
    windows = [newer, createWindow()];
  }, WINDOW_MS);
  timer.unref();
  return {
    read: (pick) =>
      Math.max(
        0,
        ...windows
          .filter(({ count }) => count > 0)
          .map(pick)
          .map((ns) => ns / 1e9 - RESOLUTION_MS / 1e3),
      ),
    stop() {
      clearInterval(timer);
      for (const each of windows) each.disable();
    },
  };
}

function createWindow(): IntervalHistogram {
  const delays = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
  delays.enable();
  return delays;
}

interface Serializer {
  serialize(metrics: Awaited<ReturnType<sdkMetrics.MetricReader['collect']>>['resourceMetrics']): string;
}

/** Answers a scrape in Prometheus's text format, without the gauges that were forgotten. */
function createMetricsHandler(
  reader: Pick<sdkMetrics.MetricReader, 'collect'>,
  serializer: Serializer,
): (req: IncomingMessage, res: ServerResponse) => void {
  const read = async (): Promise<string> => {
    readForScrape();
    const { resourceMetrics } = await reader.collect();
    for (const scope of resourceMetrics.scopeMetrics)
      for (const metric of scope.metrics)
        Object.assign(metric, {
          dataPoints: metric.dataPoints.filter(({ value }) => !Number.isNaN(value)),
        });
    return serializer.serialize(resourceMetrics);
  };
  return (_req, res) => {
    read().then(
      (text) => res.writeHead(200, { 'content-type': 'text/plain; version=0.0.4' }).end(text),
      () => res.writeHead(500).end(),
    );
  };
}
