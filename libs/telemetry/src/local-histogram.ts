import { ValueType, type Attributes } from '@opentelemetry/api';
import type { metrics } from '@opentelemetry/sdk-node';

export interface HistogramOptions {
  readonly name: string;
  readonly description?: string;
  readonly unit?: string;
  readonly buckets: readonly number[];
}

interface Series {
  readonly attributes: Attributes;
  readonly counts: number[];
  count: number;
  sum: number;
  min: number;
  max: number;
}

/** As the SDK limits its own; what comes behind is one series that says so. */
const SERIES_MAX = 2_000;
const OVERFLOW: Attributes = { 'otel.metric.overflow': true };

/**
 * Counts observations itself: the SDK's histogram hashes the attributes, makes times and looks for a context with each
 * of them, which costs a fast request a tenth of its time.
 */
export class LocalHistogram {
  readonly #options: HistogramOptions;
  /** By the attributes as they are given, and in order of their names: two orders are one series. */
  readonly #byText = new Map<string, Series>();
  readonly #bySorted = new Map<string, Series>();
  #startedAt = Date.now();

  constructor(options: HistogramOptions) {
    this.#options = options;
  }

  record(value: number, attributes: Attributes = {}): void {
    let text = '';
    for (const name in attributes) text += `${name}\u0000${String(attributes[name])}\u0000`;
    const series = this.#byText.get(text) ?? this.#open(text, attributes);
    series.counts[findBucket(this.#options.buckets, value)]! += 1;
    series.count += 1;
    series.sum += value;
    if (value < series.min) series.min = value;
    if (value > series.max) series.max = value;
  }

  reset(): void {
    this.#byText.clear();
    this.#bySorted.clear();
    this.#startedAt = Date.now();
  }

  collect(now: number): metrics.HistogramMetricData {
    const { name, description = '', unit = '', buckets } = this.#options;
    const times = { startTime: toHrTime(this.#startedAt), endTime: toHrTime(now) };
    return {
      // The numbers are CUMULATIVE and HISTOGRAM: as names they would load the SDK.
      descriptor: { name, description, unit, valueType: ValueType.DOUBLE },
      aggregationTemporality: 1,
      dataPointType: 0,
      dataPoints: [...this.#bySorted.values()].map(({ attributes, counts, ...value }) => ({
        ...times,
        attributes,
        value: { ...value, buckets: { boundaries: [...buckets], counts: [...counts] } },
      })),
    };
  }

  #open(text: string, attributes: Attributes): Series {
    const isFull = this.#byText.size >= SERIES_MAX;
    const kept = isFull ? OVERFLOW : { ...attributes };
    const sorted = JSON.stringify(Object.entries(kept).sort(([one], [other]) => (one < other ? -1 : 1)));
    const series = this.#bySorted.get(sorted) ?? {
      attributes: kept,
      counts: Array.from({ length: this.#options.buckets.length + 1 }, () => 0),
      count: 0,
      sum: 0,
      min: Infinity,
      max: -Infinity,
    };
    this.#bySorted.set(sorted, series);
    if (!isFull) this.#byText.set(text, series);
    return series;
  }
}

/** Bounds are inclusive, as Prometheus has them. */
function findBucket(buckets: readonly number[], value: number): number {
  let index = 0;
  while (index < buckets.length && value > buckets[index]!) index += 1;
  return index;
}

function toHrTime(ms: number): [number, number] {
  return [Math.floor(ms / 1_000), (ms % 1_000) * 1e6];
}
