// SPDX-License-Identifier: Apache-2.0
import type { RpcMethods } from '@chainwatch/chain-core';

export const SOLANA_METHODS: RpcMethods = {
  // No method of the public interface controls a node. These are of the validator's admin socket, which is
  // not served over HTTP.
  locked: /^(exit|setIdentity|setLogFilter|addAuthorizedVoter|removeAllAuthorizedVoters)$/,
  // After a second send under a new leader one signature may land by two paths, so transactions are sent once.
  send: /^(?!)$/,
  once: /^(send[A-Z]\w*|requestAirdrop)$/,
  read: /^([a-z]+(Subscribe|Unsubscribe)|get[A-Z]\w*|isBlockhashValid|simulateTransaction|minimumLedgerSlot)$/,
};
