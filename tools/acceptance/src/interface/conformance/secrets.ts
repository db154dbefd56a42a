// SPDX-License-Identifier: Apache-2.0
import { demand } from './demand.ts';
import type { Ground } from './ground.ts';
import { codesOf } from './read-tables.ts';
import type { Sample } from './samples.ts';
import { sayingOf } from './specification.ts';

/** `svc_whsec_` and 30 base62 characters; the total of 42 is that of a label of five letters (decisions.md 1.1). */
export function expectSecret({ specification }: Ground, secret: unknown): void {
  const saying = sayingOf(specification, 'It is a 42-character plaintext string: ');
  const [prefix] = codesOf(saying) as [string];
  const [, length] = /followed by (\d+) base62 characters/.exec(saying)!;
  demand(
    new RegExp(`^${prefix}[0-9A-Za-z]{${length}}$`).test(String(secret)),
    `${prefix} and ${length} base62 characters`,
    secret,
  );
}

/** Two times of the secret before lie as many hours apart. */
export function expectOverlap(previous: unknown, hours: number): void {
  const times = Object.values((previous ?? {}) as Sample)
    .map((value) => Date.parse(String(value)))
    .filter((time) => !Number.isNaN(time));
  const spans = times.flatMap((from) => times.map((to) => Math.round((to - from) / 1_000)));
  demand(spans.includes(hours * 3_600), `times that lie ${hours} hours apart`, previous);
}
