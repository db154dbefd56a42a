// SPDX-License-Identifier: Apache-2.0
import { verifyStatement, type StatementKeys } from '@chainwatch/verify';
import type { Harness } from '../harness.ts';
import type { TestChain } from '../test-chain.ts';

interface Reading {
  readonly amount_raw: string;
  readonly block_number: number;
  readonly block_hash: string;
}

interface OfBalance {
  readonly address: string;
  readonly asset_gid: string;
}

export interface MovementLine extends OfBalance {
  readonly type: 'movement';
  readonly reason: string;
  readonly amount_raw: string;
  readonly block_number: number;
  readonly is_counted: boolean;
}

export interface BalanceLine extends OfBalance {
  readonly type: 'balance';
  readonly opening: Reading | null;
  readonly closing: Reading | null;
  readonly explained: Readonly<Record<string, string>>;
  readonly explained_raw: string;
  readonly unexplained_raw: string | null;
  readonly adjustments_raw: string;
}

export interface GapLine {
  readonly type: 'gap';
  readonly kind: string;
  readonly address: string | null;
  readonly asset_gid: string | null;
  readonly from_block: number | null;
  readonly to_block: number | null;
  readonly reason: string;
}

/** The lines of a document that its signature covers. */
export interface StatementLines {
  readonly movements: readonly MovementLine[];
  readonly balances: readonly BalanceLine[];
  readonly gaps: readonly GapLine[];
}

export interface StatementPeriod {
  readonly addresses: readonly string[];
  readonly from: Date;
  readonly to: Date;
}

/** Has the services write a statement, downloads it, and expects that its signature and sums hold. */
export async function askStatement(
  harness: Harness<TestChain>,
  { addresses, from, to }: StatementPeriod,
): Promise<StatementLines> {
  const { project, apiUrl } = harness;
  const { status, body } = await project.request('POST', '/statements', { addresses, from, to });
  if (status !== 202) throw new Error(`expected 202, got ${status} ${JSON.stringify(body)}`);
  const { id } = body as { readonly id: string };
  await harness.until('the statement', 60_000, async () => {
    const found = await project.get<{ readonly status: string; readonly reason: string | null }>(
      `/statements/${id}`,
    );
    if (found.status === 'failed') throw new Error(`expected a statement, got ${found.reason}`);
    return found.status === 'completed';
  });
  const answer = await fetch(`${apiUrl}/statements/${id}/download`, {
    headers: { 'x-api-key': project.key },
  });
  const text = await answer.text();
  const keys = (await (await fetch(new URL('/.well-known/chainwatch-keys', apiUrl))).json()) as StatementKeys;
  expect(await verifyStatement(text, { keys })).toMatchObject({ isValid: true, faults: [] });
  await expectAlteredRefused(text, keys);
  const lines = text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as MovementLine | BalanceLine | GapLine);
  return {
    movements: lines.filter((line) => line.type === 'movement'),
    balances: lines.filter((line) => line.type === 'balance'),
    gaps: lines.filter((line) => line.type === 'gap'),
  };
}

/** Each of its lines with another digit, and the document without that line. */
async function expectAlteredRefused(text: string, keys: StatementKeys): Promise<void> {
  const lines = text.trimEnd().split('\n');
  const accepted: string[] = [];
  // The last line is the signature. A long document is sampled.
  const step = Math.max(1, Math.floor(lines.length / 40));
  for (let place = 0; place < lines.length - 1; place += step) {
    const altered = lines[place]!.replace(/\d(?=\D*$)/, (digit) => String((Number(digit) + 1) % 10));
    const variants = [lines.with(place, altered), lines.toSpliced(place, 1)];
    if (altered === lines[place]) variants.shift();
    for (const variant of variants)
      if ((await verifyStatement(`${variant.join('\n')}\n`, { keys })).isValid) accepted.push(lines[place]!);
  }
  expect(accepted).toEqual([]);
}
