// SPDX-License-Identifier: Apache-2.0
import { startTraceCollector, type CollectedSpan } from '@chainwatch/testing';
import { startTelemetry, withSpan } from './index.ts';

const SAMPLED = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';
const NOT_SAMPLED = '00-1bf7651916cd43dd8448eb211c80319c-b7ad6b7169203331-00';
const VARIABLES = ['OTEL_TRACES_SAMPLER', 'OTEL_TRACES_SAMPLER_ARG'] as const;

/** Runs `work` with a sampler of the environment, and gives the spans that a collector got. */
async function collect(
  [sampler, argument]: readonly [sampler?: string, argument?: string],
  work: () => Promise<unknown>,
): Promise<readonly CollectedSpan[]> {
  const collector = await startTraceCollector();
  for (const [position, value] of [sampler, argument].entries())
    if (value !== undefined) process.env[VARIABLES[position]!] = value;
  try {
    const telemetry = await startTelemetry({ serviceName: 'spec', endpoint: collector.url });
    await work();
    await telemetry.stop();
  } finally {
    for (const name of VARIABLES) delete process.env[name];
    collector.stop();
  }
  return collector.spans;
}

/** One trace of a caller that samples, one of a caller that does not, and eighty of our own. */
async function makeTraces(): Promise<string[]> {
  const given = [
    await withSpan('sampled', { traceparent: SAMPLED }, (span) => span.traceparent),
    await withSpan('unsampled', { traceparent: NOT_SAMPLED }, (span) => span.traceparent),
  ];
  for (let count = 0; count < 80; count++) await withSpan('root', {}, () => undefined);
  return given;
}

const count = (spans: readonly CollectedSpan[], name: string): number =>
  spans.filter((span) => span.name === name).length;

it.each([
  [[], { sampled: 1, unsampled: 0, root: [80, 80] }],
  [['parentbased_always_on'], { sampled: 1, unsampled: 0, root: [80, 80] }],
  [['parentbased_always_off'], { sampled: 1, unsampled: 0, root: [0, 0] }],
  [['parentbased_traceidratio', '0.5'], { sampled: 1, unsampled: 0, root: [15, 65] }],
  [['always_on'], { sampled: 1, unsampled: 1, root: [80, 80] }],
  [['always_off'], { sampled: 0, unsampled: 0, root: [0, 0] }],
] as const)('OTEL_TRACES_SAMPLER(_ARG) %j decides which traces are exported', async (settings, expected) => {
  const spans = await collect(settings, makeTraces);
  expect(count(spans, 'sampled')).toBe(expected.sampled);
  expect(count(spans, 'unsampled')).toBe(expected.unsampled);
  expect(count(spans, 'root')).toBeGreaterThanOrEqual(expected.root[0]);
  expect(count(spans, 'root')).toBeLessThanOrEqual(expected.root[1]);
});

it('tells the next service what was decided', async () => {
  const given: string[] = [];
  await collect(['parentbased_traceidratio', '0'], async () => {
    given.push(...(await makeTraces()));
    given.push(await withSpan('root', {}, (span) => span.traceparent));
  });
  expect(given.map((traceparent) => traceparent.slice(-2))).toEqual(['01', '00', '00']);
});

it('exports what failed of all traces, with how it failed', async () => {
  const spans = await collect(['always_off'], () =>
    withSpan('outer', { traceparent: NOT_SAMPLED, links: [SAMPLED, 'no trace'] }, async (outer) => {
      await withSpan('fine', {}, () => undefined);
      await withSpan('thrown', {}, () => Promise.reject(new TypeError('no'))).catch(() => undefined);
      outer.rename('renamed');
      outer.fail('503');
    }),
  );
  expect(spans).toMatchObject([
    { name: 'thrown', isFailed: true, attributes: { 'error.type': 'TypeError' } },
    {
      ...{ name: 'renamed', isFailed: true, attributes: { 'error.type': '503' } },
      ...{ traceId: NOT_SAMPLED.split('-')[1], links: [SAMPLED.split('-')[1]] },
    },
  ]);
});

it('refuses a sampler that does not exist', async () => {
  for (const settings of [['sometimes'], ['traceidratio', '2'], ['traceidratio', 'half']] as const)
    await expect(collect(settings, makeTraces)).rejects.toThrow(/OTEL_TRACES_SAMPLER/);
});
