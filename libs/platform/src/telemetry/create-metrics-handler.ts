// SPDX-License-Identifier: Apache-2.0
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { metrics } from '@opentelemetry/sdk-node';
import { readForScrape } from './instruments.ts';

interface Serializer {
  serialize(metrics: Awaited<ReturnType<metrics.MetricReader['collect']>>['resourceMetrics']): string;
}

/** Answers a scrape in Prometheus's text format, without the gauges that were forgotten. */
export function createMetricsHandler(
  reader: Pick<metrics.MetricReader, 'collect'>,
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
