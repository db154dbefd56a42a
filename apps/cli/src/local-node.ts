import { InvalidArgumentError } from 'commander';

/** A node of a local chain that signs for accounts of its own, as development nodes do. */
export interface FundedNode {
  readonly chainGid: string;
  readonly url: string;
  readonly account: string;
}

const ANSWER_MS_MAX = 5_000;
const DECIMALS = 18;
const AMOUNT = '0.01';

/** What a payment on a local chain may be told. */
export const PAYMENT_NAMES = ['amount', 'from'] as const;
export type Payment = { readonly [Name in (typeof PAYMENT_NAMES)[number]]?: string };

/** One `name=value` beside those before. */
export function parsePayment(text: string, before: Payment): Payment {
  const [, name, value = ''] = /^([^=]*)=(.*)$/.exec(text) ?? [];
  if (name === undefined || !PAYMENT_NAMES.some((known) => known === name))
    throw new InvalidArgumentError(`expected one of ${PAYMENT_NAMES.join(', ')}, then = and its value.`);
  if (name === 'amount' && !new RegExp(`^\\d{1,9}(\\.\\d{1,${DECIMALS}})?$`).test(value))
    throw new InvalidArgumentError('expected an amount such as 1.5.');
  return { ...before, [name]: value };
}

/** The first that lists accounts (`eth_accounts`). */
export async function findFundedNode(
  chains: Readonly<Record<string, unknown>>,
): Promise<FundedNode | undefined> {
  for (const [chainGid, node] of Object.entries(chains)) {
    const url = (node as { readonly endpoint_url?: unknown } | null)?.endpoint_url;
    if (typeof url !== 'string') continue;
    const accounts = await callNode(url, 'eth_accounts', []).catch(() => undefined);
    if (Array.isArray(accounts) && typeof accounts[0] === 'string')
      return { chainGid, url, account: accounts[0] };
  }
  return undefined;
}

/** Resolves to the hash of the transaction. */
export async function sendCoin(
  { url, account }: FundedNode,
  to: string,
  { amount = AMOUNT, from = account }: Payment,
): Promise<string> {
  const [whole = '', fraction = ''] = amount.split('.');
  const value = `0x${BigInt(whole + fraction.padEnd(DECIMALS, '0')).toString(16)}`;
  return String(await callNode(url, 'eth_sendTransaction', [{ from, to, value }]));
}

async function callNode(url: string, method: string, params: readonly unknown[]): Promise<unknown> {
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
    signal: AbortSignal.timeout(ANSWER_MS_MAX),
  });
  const { result, error } = (await response.json()) as { result?: unknown; error?: { message: string } };
  if (error !== undefined) throw new Error(`the local node answered ${method} with: ${error.message}`);
  return result;
}
