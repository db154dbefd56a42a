// SPDX-License-Identifier: Apache-2.0
/**
 * Logs, traces, metrics, health and the frame of a service's process. Used by every service.
 *
 * @example
 * await runService({ name: 'notifier', start: async (logger) => {
 *   const telemetry = await startTelemetry({ serviceName: 'notifier' });
 *   return { telemetry, health: { ...healthAddressOf(config), checks }, stop: () => notifier.stop() };
 * } });
 */
export { createLogger, type Logger, type LoggerOptions, type ServiceLogger } from './create-logger.ts';
export { closeWaitingAnswers, createDrain } from './open-answers.ts';
export { degraded, describeChain, notOk, ok, probe, type CheckResult, type Checks } from './health-checks.ts';
export {
  counter,
  gauge,
  histogram,
  onScrape,
  WAIT_BUCKETS,
  type Counter,
  type Gauge,
  type Histogram,
} from './instruments.ts';
export { createStallRecorder, recordOwned } from './record-owned.ts';
export { runService, type RunningService } from './run-service.ts';
export { startHealthServer, type HealthServer, type HealthServerOptions } from './start-health-server.ts';
export { startTelemetry, type Telemetry, type TelemetryOptions } from './start-telemetry.ts';
export { newTraceparent, parseTraceparent } from './traceparent.ts';
export {
  currentTraceparent,
  isTracing,
  startCall,
  traceRequest,
  withSpan,
  type ActiveSpan,
  type SpanOptions,
} from './tracing.ts';
export { withLogFields } from './with-log-fields.ts';
export { Workers, type WorkerHealth } from './workers.ts';
