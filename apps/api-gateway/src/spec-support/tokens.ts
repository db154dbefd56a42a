// SPDX-License-Identifier: Apache-2.0
import { readFileSync } from 'node:fs';
import { waitFor } from '@chainwatch/testing';
import type { AnvilHandle } from '@chainwatch/testing';

/** An account of anvil; it deploys the tokens below. */
export const sender = '0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266';

/** A new ERC-20 contract. Returns its address. */
export async function deployToken(anvil: AnvilHandle): Promise<string> {
  const artifacts = JSON.parse(
    readFileSync(new URL('../../../../tools/devnet/evm/artifacts.json', import.meta.url), 'utf8'),
  ) as Record<string, { bytecode: string }>;
  const hash = await anvil.rpc<string>('eth_sendTransaction', [
    { from: sender, data: artifacts.TestToken!.bytecode, gas: '0x500000' },
  ]);
  const receipt = await waitFor(() =>
    anvil.rpc<{ contractAddress: string; status: string } | null>('eth_getTransactionReceipt', [hash]),
  );
  if (receipt.status !== '0x1') throw new Error(`the token was not deployed: status ${receipt.status}`);
  return receipt.contractAddress.toLowerCase();
}
