// SPDX-License-Identifier: Apache-2.0
import type { ApiClient } from '../api-client.ts';
import { shorten } from './receive.ts';
import { createSolanaAddress, sendSolana } from './send-solana.ts';

interface SolanaDemo {
  readonly api: ApiClient;
  readonly endpointUrl: string;
  readonly say: (line: string) => void;
}

/** Registers an address and sends it SOL. @returns the address and the signature */
export async function showSolana({
  api,
  endpointUrl,
  say,
}: SolanaDemo): Promise<{ address: string; hash: string }> {
  const address = createSolanaAddress();
  await api.call('POST', '/addresses/external', { value: address, chain_family: 'solana', label: 'demo' });
  say(`Registered the address ${address}`);
  const hash = await sendSolana(endpointUrl, { to: address, sol: '2.5', version: 1 });
  say(`Sent 2.5 SOL in ${shorten(hash)}`);
  return { address, hash };
}
