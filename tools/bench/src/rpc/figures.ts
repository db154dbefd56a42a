// SPDX-License-Identifier: Apache-2.0
import { loadavg } from 'node:os';

export function median(values: readonly number[]): number {
  return [...values].sort((one, other) => one - other)[Math.floor(values.length / 2)]!;
}

export function load(): string {
  return `load average ${loadavg()[0]!.toFixed(1)}`;
}
