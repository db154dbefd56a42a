// SPDX-License-Identifier: Apache-2.0
import { monitorEventLoopDelay, type IntervalHistogram } from 'node:perf_hooks';
import { metrics } from '@opentelemetry/api';

const RESOLUTION_MS = 20;
/** A scrape tells of this window and the one before, whoever else scrapes. */
const WINDOW_MS = 15_000;

/** The metrics that every operator asks for first, under the names that Prometheus' clients have. Returns stop. */
export function observeProcess(): () => void {
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
