// SPDX-License-Identifier: Apache-2.0
import type { Block } from '@chainwatch/chain-core';
import { isAccountAt, touchesBalances, type ContractLog, type ContractNotation } from './decode-logs.ts';

/** A number below 2^96, and no account: nobody finds a key for one with eight zero bytes. */
const NUMBER = '0'.repeat(40);

/** The contracts of a block with a log that may have moved balances without telling whose, and the accounts that such logs name. */
export class TouchedContracts {
  readonly #accounts = new Map<string, Set<string>>();

  add(logs: readonly ContractLog[]): void {
    for (const log of logs) {
      if (!touchesBalances(log)) continue;
      let accounts = this.#accounts.get(log.address);
      if (accounts === undefined) this.#accounts.set(log.address, (accounts = new Set()));
      for (let i = 1; i < log.topics.length; i++) collectAccounts(log.topics[i]!, accounts);
      collectAccounts(log.data, accounts);
    }
  }

  /** A contract that is no token. */
  leaveOut(address: string): void {
    this.#accounts.delete(address);
  }

  list({ tokenGid, account }: ContractNotation): Pick<Block, 'touchedAssets' | 'mentions'> {
    const mentions = [...this.#accounts].map(([contract, named]) => ({
      assetGid: tokenGid(contract),
      addresses: Array.from(named, account),
    }));
    return {
      touchedAssets: mentions.map(({ assetGid }) => assetGid),
      mentions: mentions.filter(({ addresses }) => addresses.length > 0),
    };
  }
}

/** Adds every word of a topic or of data that may be an account, as `0x` and 40 lower-case digits. */
function collectAccounts(text: string, accounts: Set<string>): void {
  for (let at = 2; at + 64 <= text.length; at += 64) {
    if (isAccountAt(text, at) && !text.startsWith(NUMBER, at))
      accounts.add(`0x${text.slice(at + 24, at + 64).toLowerCase()}`);
  }
}
