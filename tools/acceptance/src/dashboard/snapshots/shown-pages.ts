// SPDX-License-Identifier: Apache-2.0
import type { Page } from 'playwright-core';
import { POLYGON } from './chains.ts';
import { channels } from './deliveries.ts';
import { addresses, followed } from './payments.ts';
import { october, proved, PROVED_BLOCK_HASH, reconciliations } from './records.ts';

export interface ShownPage {
  /** Of its pictures: `<name>-light.png`, `<name>-dark.png`. */
  readonly name: string;
  readonly path: string;
  /** A text that stands there when its data has come. */
  readonly ready: string;
  /** Default 1280: the narrowest window with two columns. */
  readonly width?: number;
  readonly isSignedOut?: boolean;
  /** What a person does before the picture is taken. */
  readonly prepare?: (page: Page) => Promise<void>;
}

async function openAttempts(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'attempts to Ledger' }).click();
  await page.getByText('upstream connect error').waitFor();
}

async function verifyProof(page: Page): Promise<void> {
  await page.getByLabel(/^Hash of block/).fill(PROVED_BLOCK_HASH);
  await page.getByRole('button', { name: 'Verify proof' }).click();
  await page.getByText('Verified against the hash that you pasted').waitFor();
}

/** What pictures are taken of, in docs/pictures. */
export const shownPages: readonly ShownPage[] = [
  { name: 'sign-in', path: '/ui/sign-in', ready: 'Sign in', isSignedOut: true },
  { name: 'overview', path: '/ui/', ready: 'Success rate' },
  { name: 'transactions', path: '/ui/transactions', ready: '38,137' },
  {
    name: 'trace',
    path: `/ui/transactions/${followed.id}`,
    ready: 'Confirmations 7 of 12',
    prepare: openAttempts,
  },
  {
    name: 'trace-phone',
    path: `/ui/transactions/${followed.id}`,
    ready: 'Confirmations 7 of 12',
    width: 360,
  },
  {
    name: 'proof',
    path: `/ui/transactions/${proved.id}/proof`,
    ready: 'What this proof says',
    prepare: verifyProof,
  },
  { name: 'statements', path: '/ui/statements', ready: 'Group customers' },
  { name: 'statement', path: `/ui/statements/${october.id}`, ready: 'Key ID (kid)' },
  {
    name: 'reconciliation',
    path: `/ui/reconciliations/${reconciliations[0]!.id}`,
    ready: 'Same as line 2',
  },
  {
    name: 'reconciliation-phone',
    path: `/ui/reconciliations/${reconciliations[0]!.id}`,
    ready: 'Same as line 2',
    width: 360,
  },
  { name: 'addresses', path: '/ui/addresses', ready: 'Customer 42' },
  { name: 'address', path: `/ui/addresses/${addresses[0]!.address}`, ready: 'Balances' },
  { name: 'channel', path: `/ui/channels/${channels[0].id}`, ready: '45,602' },
  { name: 'chains', path: '/ui/chains', ready: 'Not active' },
  { name: 'chain', path: `/ui/chains/${POLYGON}`, ready: 'transaction-type:0x7d' },
  { name: 'gateway', path: '/ui/gateway', ready: 'Calls over time' },
  { name: 'keys', path: '/ui/keys', ready: 'Wallet nodes' },
  { name: 'members', path: '/ui/members', ready: 'grace@example.com' },
  { name: 'events', path: '/ui/events', ready: '91,235' },
];
