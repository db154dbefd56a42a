// SPDX-License-Identifier: Apache-2.0
import { metrics, type Attributes, type Meter } from '@opentelemetry/api';

export interface InstrumentOptions {
  readonly description?: string;
  /** Seconds, bytes: the last word of the instrument's name says it already (chainwatch_<noun>_<unit>). */
  readonly unit?: string;
}

export interface Counter {
  add(value?: number, attributes?: Attributes): void;
}
export interface Gauge {
  set(value: number, attributes?: Attributes): void;
  /** Not told any more: this process has nothing to say about it now. */
  forget(attributes?: Attributes): void;
}
export interface Histogram {
  record(value: number, attributes?: Attributes): void;
}

/** Bounds in seconds, from a cached read to a slow node. */
const SECONDS_BUCKETS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30];

/** The same from what is at once to what waited for hours. */
export const WAIT_BUCKETS = [
  0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300, 1_800, 7_200,
] as const;

let generation = 0;
const counters = new Map<string, Counter>();
const gauges = new Map<string, Gauge>();
const histograms = new Map<string, Histogram>();

/**
 * Called by startTelemetry, because instruments of the API do not notice a provider that is set after they
 * were created.
 */
export function rebindInstruments(): void {
  generation += 1;
}

/**
 * The same instrument for the same name. The exporter adds `_total` itself, so it is cut off the name here.
 */
export function counter(name: string, options: InstrumentOptions = {}): Counter {
  const bound = lazily((meter) => meter.createCounter(name.replace(/_total$/, ''), options));
  return memoised(counters, name, { add: (value = 1, attributes) => bound().add(value, attributes) });
}

export function gauge(name: string, options: InstrumentOptions = {}): Gauge {
  const bound = lazily((meter) => meter.createGauge(name, options));
  return memoised(gauges, name, {
    set: (value, attributes) => bound().record(value, attributes),
    // The SDK tells the last value for ever; handleMetrics leaves this one out.
    forget: (attributes) => bound().record(Number.NaN, attributes),
  });
}

export function histogram(
  name: string,
  {
    buckets = SECONDS_BUCKETS,
    ...options
  }: InstrumentOptions & { readonly buckets?: readonly number[] } = {},
): Histogram {
  const advice = { explicitBucketBoundaries: [...buckets] };
  const bound = lazily((meter) => meter.createHistogram(name, { ...options, advice }));
  return memoised(histograms, name, { record: (value, attributes) => bound().record(value, attributes) });
}

function memoised<T>(known: Map<string, T>, name: string, made: T): T {
  const existing = known.get(name) ?? made;
  known.set(name, existing);
  return existing;
}

function lazily<T>(create: (meter: Meter) => T): () => T {
  let instrument: T | undefined;
  let boundTo = -1;
  return () => {
    if (instrument === undefined || boundTo !== generation) {
      instrument = create(metrics.getMeter('chainwatch'));
      boundTo = generation;
    }
    return instrument;
  };
}

const readers = new Set<() => void>();

/** Calls `read` before each scrape, to set gauges of what changes all the time. Returns what ends that. */
export function onScrape(read: () => void): () => void {
  readers.add(read);
  return () => void readers.delete(read);
}

export function readForScrape(): void {
  for (const read of readers) read();
}
