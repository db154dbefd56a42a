import type { RpcMethods } from '@chainwatch/chain-core';

export const SOLANA_METHODS: RpcMethods = {
  // None of the public interface rules a node; those of the validator's admin socket are not served over HTTP.
  locked: /^(exit|setIdentity|setLogFilter|addAuthorizedVoter|removeAllAuthorizedVoters)$/,
  // A second send under a new leader may land twice as two paths of one signature: they go once.
  send: /^(?!)$/,
  once: /^(send[A-Z]\w*|requestAirdrop)$/,
  read: /^([a-z]+(Subscribe|Unsubscribe)|get[A-Z]\w*|isBlockhashValid|simulateTransaction|minimumLedgerSlot)$/,
};
