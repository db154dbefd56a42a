// SPDX-License-Identifier: Apache-2.0
import { splitChainGid } from '@chainwatch/common/caip';
import { createChainOpener, type ActiveChain, type UtxoCodec } from '@chainwatch/chain-core';
import { findFamily } from '@chainwatch/chain-registry';
import { createDial } from '@chainwatch/outbound';
import { createSealer, parseSecretsKeys } from '@chainwatch/platform/secrets';
import type { readConfig } from './config.ts';

/** Opens chains with this process' configuration. */
export const createOpenChain = (config: ReturnType<typeof readConfig>) =>
  createChainOpener({
    findFamily,
    opener: createSealer(parseSecretsKeys(config.SECRETS_KEYS)),
    dial: createDial({ allow: config.OUTBOUND_ALLOW }),
    endpoints: config.CHAIN_ENDPOINTS,
    indexes: config.INDEX_ENDPOINTS,
    timeoutMs: config.NODE_TIMEOUT,
  });

/** The codec of a chain's family, if the family has unspent outputs. */
export const findUtxo = async ({ gid }: ActiveChain): Promise<UtxoCodec | undefined> =>
  (await findFamily(splitChainGid(gid).namespace))?.utxo;
