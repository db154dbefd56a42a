// SPDX-License-Identifier: Apache-2.0
import { IncompleteBlockError, type BlockRef } from '@chainwatch/chain-core';
import type { EvmBlock, EvmTransaction } from './evm-types.ts';
import { NotJsonError } from './tron-http.ts';
import { CONTRACT_TYPES, readContract } from './read-contract.ts';
import type { EvmSession } from './read-evm-headers.ts';
import { parseHex } from './parse-hex.ts';
import { sha256 } from './sha256.ts';
import { isNotServed } from './wallet-api.ts';
import { parseWalletBlock } from './parse-wallet-block.ts';
import type { WalletBlock } from './wallet-block.ts';

/**
 * Whether the value of a transaction may be something other than TRX: the Ethereum-compatible interface shows
 * amounts of TRC-10, votes and stakes in the same member. A call of a contract uses energy, and its value is
 * TRX.
 */
export function isDoubtful({ to, value, gas }: EvmTransaction): boolean {
  return typeof to === 'string' && Number(gas ?? '0x0') === 0 && Number(value ?? '0x0') > 0;
}

/**
 * Hashes of the transactions of a block that transfer TRX, from the wallet API at the same origin; undefined
 * where nothing is doubtful, or where there is no wallet API to ask.
 */
export async function findTransfers(
  session: EvmSession,
  { ref, block, signal }: { readonly ref: BlockRef; readonly block: EvmBlock; readonly signal?: AbortSignal },
): Promise<ReadonlySet<string> | undefined> {
  const { beside, capabilities } = session;
  if (beside === undefined || !capabilities.hasWalletBeside || !block.transactions.some(isDoubtful))
    return undefined;
  try {
    const shown = parseWalletBlock(
      'getblockbyid',
      await beside.call('wallet/getblockbyid', { value: ref.hash }, signal),
    );
    if (shown === undefined)
      throw new IncompleteBlockError(
        `block ${ref.number} ${ref.hash}: expected it by the wallet API, too, got none`,
      );
    return listTransfers(shown);
  } catch (error) {
    // Forbidden does not mean absent: an API key may be out of calls.
    const isAbsent = (isNotServed(error) && error.nodeCode !== 403) || error instanceof NotJsonError;
    if (!isAbsent) throw error;
    capabilities.hasWalletBeside = false;
    return undefined;
  }
}

function listTransfers({ transactions = [] }: WalletBlock): ReadonlySet<string> {
  const hashes = transactions.flatMap(({ raw_data_hex: hex }) => {
    const rawData = parseHex('raw_data_hex', hex);
    return readContract(rawData).type === CONTRACT_TYPES.transfer
      ? [`0x${sha256(rawData).toString('hex')}`]
      : [];
  });
  return new Set(hashes);
}
