// SPDX-License-Identifier: Apache-2.0
import { InvalidArgumentError } from 'commander';
import { CliError, EXIT } from './cli-error.ts';

/** Of the playground that `npm start` runs, which gives away coins of the local chains. */
export interface LocalPayment extends Payment {
  readonly chain_gid: string;
  readonly to: string;
}

/** What a payment on a local chain may be told. */
export const PAYMENT_NAMES = ['amount', 'from'] as const;
export type Payment = { readonly [Name in (typeof PAYMENT_NAMES)[number]]?: string };

const ANSWER_MS_MAX = 60_000;
const AMOUNT = '0.01';

/** One `name=value` beside those before. */
export function parsePayment(text: string, before: Payment): Payment {
  const [, name, value = ''] = /^([^=]*)=(.*)$/.exec(text) ?? [];
  if (name === undefined || !PAYMENT_NAMES.some((known) => known === name))
    throw new InvalidArgumentError(`expected one of ${PAYMENT_NAMES.join(', ')}, then = and its value.`);
  if (name === 'amount' && (!/^\d{1,6}(\.\d{1,18})?$/.test(value) || Number(value) === 0))
    throw new InvalidArgumentError('expected an amount such as 1.5.');
  if (name === 'from' && !/^0x[0-9a-fA-F]{40}$/.test(value))
    throw new InvalidArgumentError(
      'expected an account of the local node, such as from=0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266.',
    );
  return { ...before, [name]: value };
}

export interface LocalChain {
  readonly chain_gid: string;
  /** A payment may name the account that pays. */
  readonly has_accounts: boolean;
}

/** Chains whose coin it has. */
export async function listLocalChains(url: string): Promise<readonly LocalChain[]> {
  return (await ask<{ chains: readonly LocalChain[] }>(url, '/')).chains;
}

/** An address of a key that nobody keeps. */
export async function makeAddress(url: string, chainGid: string): Promise<string> {
  return (await ask<{ address: string }>(url, '/addresses', { chain_gid: chainGid })).address;
}

/** Resolves to the hash of the transaction. */
export async function sendCoin(url: string, payment: LocalPayment): Promise<string> {
  return (await ask<{ hash: string }>(url, '/payments', { amount: AMOUNT, ...payment })).hash;
}

async function ask<T>(url: string, path: string, body?: object): Promise<T> {
  const response = await send(new URL(path, url), {
    ...(body !== undefined && {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    }),
    signal: AbortSignal.timeout(ANSWER_MS_MAX),
  });
  const answer = (await response.json().catch(() => ({}))) as T & { detail?: string };
  const exitCode = response.status < 500 ? EXIT.usage : EXIT.failed;
  if (!response.ok) throw new CliError(`The local chain did not take it: ${answer.detail}`, exitCode);
  return answer;
}

async function send(url: URL, init: RequestInit): Promise<Response> {
  try {
    return await fetch(url, init);
  } catch (error) {
    const { cause, message } = error as Error;
    const reason = cause instanceof Error ? cause.message : message;
    throw new CliError(`The local chains did not answer at ${url.origin}: ${reason}`, EXIT.failed);
  }
}
