// SPDX-License-Identifier: Apache-2.0
import { generateKeyPairSync } from 'node:crypto';
import { base58 } from '@scure/base';
import { SetupError } from '@chainwatch/testing/host';

const SOL_PATTERN = /^(\d{1,6})(?:\.(\d{1,9}))?$/;
const ADDRESS_PATTERN = /^[1-9A-HJ-NP-Za-km-z]{32,44}$/;

export const SOLANA_VERSIONS = ['legacy', 0, 1] as const;

/** SOL that the faucet of the local chain sends. */
interface SolanaPayment {
  readonly to: string;
  readonly sol: string;
  /** Of the transaction. Default: legacy. */
  readonly version?: (typeof SOLANA_VERSIONS)[number];
}

/** Asks the local chain's faucet, whose transfer is one like any other. @returns the signature @throws SetupError */
export async function sendSolana(
  endpointUrl: string,
  { to, sol, version = 'legacy' }: SolanaPayment,
): Promise<string> {
  const match = SOL_PATTERN.exec(sol);
  if (!match)
    throw new SetupError(`expected an amount of at most nine decimals such as 1 or 0.05, got ${sol}.`);
  if (!ADDRESS_PATTERN.test(to)) throw new SetupError(`expected --to with an address of Solana, got ${to}.`);
  const lamports = Number(match[1]! + (match[2] ?? '').padEnd(9, '0'));
  const { result, error } = await call(endpointUrl, 'requestAirdrop', [to, lamports, { version }]);
  if (typeof result !== 'string')
    throw new SetupError(
      `The Solana node of the local chain did not take it: ${error?.message ?? 'no signature'}`,
    );
  return result;
}

/** Of a key that nobody keeps. */
export function createSolanaAddress(): string {
  const { x } = generateKeyPairSync('ed25519').publicKey.export({ format: 'jwk' });
  return base58.encode(new Uint8Array(Buffer.from(x!, 'base64url')));
}

async function call(
  url: string,
  method: string,
  params: readonly unknown[],
): Promise<{ readonly result?: unknown; readonly error?: { readonly message: string } }> {
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params });
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body,
    signal: AbortSignal.timeout(10_000),
  }).catch((error: Error) => {
    throw new SetupError(`The Solana node of the local chain does not answer: ${error.message}`);
  });
  return (await response.json()) as { result?: unknown; error?: { message: string } };
}
