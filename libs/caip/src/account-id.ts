import type { z } from 'zod';
import { parseChainGid, type ChainGid } from './chain-gid.ts';
import { InvalidCaipError } from './invalid-caip-error.ts';
import { ACCOUNT_ADDRESS_PATTERN, ACCOUNT_ID_PATTERN } from './patterns.ts';

/** A checked CAIP-10 account id, `eip155:1:0xab16…`. The address part keeps its case. */
export type AccountId = string & z.core.$brand<'AccountId'>;

export interface AccountIdParts {
  readonly chainGid: ChainGid;
  readonly address: string;
}

export const ACCOUNT_ID_EXPECTED =
  'a CAIP-10 account id such as "eip155:1:0xab16a96d359ec26a11e2c2b3d8f8b8942d5bfcdb"';

/** @throws InvalidCaipError */
export function parseAccountId(text: string): AccountId {
  if (!isAccountId(text)) throw new InvalidCaipError(ACCOUNT_ID_EXPECTED, text);
  return text;
}

export function isAccountId(value: unknown): value is AccountId {
  return typeof value === 'string' && ACCOUNT_ID_PATTERN.test(value);
}

/** @throws InvalidCaipError when `text` is not a CAIP-10 account id */
export function splitAccountId(text: string): AccountIdParts {
  const accountId = parseAccountId(text);
  // Neither a chain reference nor an address holds a colon, so the last one divides them.
  const colon = accountId.lastIndexOf(':');
  return { chainGid: parseChainGid(accountId.slice(0, colon)), address: accountId.slice(colon + 1) };
}

/** @throws InvalidCaipError naming the part that does not fit */
export function formatAccountId({ chainGid, address }: { chainGid: string; address: string }): AccountId {
  parseChainGid(chainGid);
  if (!ACCOUNT_ADDRESS_PATTERN.test(address)) {
    throw new InvalidCaipError('an account address of 1 to 128 letters, digits, "-", "." and "%"', address);
  }
  return parseAccountId(`${chainGid}:${address}`);
}
