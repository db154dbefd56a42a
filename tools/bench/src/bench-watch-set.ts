// SPDX-License-Identifier: Apache-2.0
import { WatchSet } from '@chainwatch/watch-set';
import type { Report } from './report.ts';

/** 10 million addresses: memory an address and time a look-up. */
export function benchWatchSet(report: Report): void {
  const count = 10_000_000;
  const address = (index: number): string =>
    `0x${Math.imul(index, 2_654_435_761).toString(16).padStart(9, '0').slice(-8)}${index.toString(16).padStart(32, '0')}`;
  const before = process.memoryUsage();
  const set = WatchSet.withCapacity(count);
  const loading = performance.now();
  for (let index = 0; index < count; index += 1) set.add(address(index));
  const loadedMs = performance.now() - loading;
  const bytes = process.memoryUsage().arrayBuffers - before.arrayBuffers;
  // The addresses are made before the clock starts: the look-up alone is measured.
  // They go through a buffer, because strings out of JSON are flat and those out of a template are not.
  const probes = Array.from({ length: 1_000_000 }, (_, index) =>
    Buffer.from(address(index % 2 === 0 ? index * 7 : count + index), 'latin1').toString('latin1'),
  );
  let hits = 0;
  const started = performance.now();
  for (const probe of probes) if (set.has(probe)) hits += 1;
  const ns = ((performance.now() - started) * 1e6) / probes.length;
  report.add({
    name: 'watch set of 10 million addresses',
    goal: '≤ 20 bytes an address, ≤ 1 µs a look-up',
    isMet: bytes / count <= 20 && ns <= 1_000,
    measured: `${(bytes / count).toFixed(1)} bytes, ${ns.toFixed(0)} ns`,
    detail: `loaded in ${(loadedMs / 1000).toFixed(1)} s, ${hits} of ${probes.length} probes hit`,
  });
}
