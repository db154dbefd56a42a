import { createChainOpener } from '@chainwatch/chain-core';
import { findFamily } from '@chainwatch/chain-registry';
import { createDial } from '@chainwatch/outbound';
import { createSealer, parseSecretsKeys } from '@chainwatch/secrets';
import type { readConfig } from './config.ts';

/** Opens chains as this process is configured; its threads do the same. */
export const createOpenChain = (config: ReturnType<typeof readConfig>) =>
  createChainOpener({
    findFamily,
    opener: createSealer(parseSecretsKeys(config.SECRETS_KEYS)),
    dial: createDial({ allow: config.OUTBOUND_ALLOW }),
    endpoints: config.CHAIN_ENDPOINTS,
    indexes: config.INDEX_ENDPOINTS,
    timeoutMs: config.NODE_TIMEOUT,
  });
