// SPDX-License-Identifier: Apache-2.0
import { readFileSync, writeFileSync } from 'node:fs';
import { FLOW, type FlowService } from './flow.ts';
import { edges, renderFlow } from './render-flow.ts';
import { SUBJECTS, type SubjectKind } from './subjects.ts';

const DOCUMENT = new URL('../../../docs/flow.md', import.meta.url);
const services = Object.keys(FLOW) as FlowService[];

/** Services in an order in which everybody stands behind who tells them; fewer than all when there is a cycle. */
function sort(links: readonly (readonly [string, string])[]): string[] {
  const sorted: string[] = [];
  for (let left: string[] = [...services]; left.length > 0; ) {
    const ready = left.filter(
      (service) => !links.some(([from, to]) => to === service && left.includes(from)),
    );
    if (ready.length === 0) return sorted;
    sorted.push(...ready);
    left = left.filter((service) => !ready.includes(service));
  }
  return sorted;
}

describe('FLOW', () => {
  const links = edges().map(([from, to]) => [from, to] as const);

  it('has no cycle', () => {
    expect(sort(links)).toHaveLength(services.length);
  });

  it('would have one if anybody behind the analyzer told it something', () => {
    expect(sort([...links, ['notifier', 'block-ingestor']])).not.toHaveLength(services.length);
  });

  it('gives every subject a producer and a consumer', () => {
    const [produced, consumed] = (['produces', 'consumes'] as const).map(
      (side) => new Set<SubjectKind>(services.flatMap((service) => FLOW[service][side])),
    );
    expect([...produced!].toSorted()).toEqual(Object.keys(SUBJECTS).toSorted());
    expect([...consumed!].toSorted()).toEqual(Object.keys(SUBJECTS).toSorted());
  });

  it('is what docs/flow.md shows', () => {
    if (process.env.UPDATE_DOCS === '1') writeFileSync(DOCUMENT, renderFlow());
    expect(readFileSync(DOCUMENT, 'utf8')).toBe(renderFlow());
  });
});
