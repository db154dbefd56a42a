// SPDX-License-Identifier: Apache-2.0
import { encodeFields, type Made } from '../spec-ledger-node.ts';
import { bytes, hex, PRICE, TOKENS, TRX, type Account, type Book } from './book.ts';

export const ASSET_KINDS = [
  'TransferContract',
  'TransferAssetContract',
  'AssetIssueContract',
  'ParticipateAssetIssueContract',
  'UnfreezeAssetContract',
] as const;

const SUPPLY = 10_000;
const ISSUE_FEE = 1_024;
/** Ids of tokens go on over all chains of a run. */
let issued = 1_000_010;

/** Transfers, and issues of TRC-10 tokens. Undefined where java-tron would refuse it now. */
export function runAsset(book: Book, kind: (typeof ASSET_KINDS)[number], owner: Account): Made | undefined {
  const make = book.makeFor(kind, owner);
  const other = book.pick(book.accounts.filter((one) => one !== owner));
  const amount = 2 + book.random(300);
  switch (kind) {
    case 'TransferContract':
      return book.move(owner, { to: other, token: TRX, amount })
        ? make({ to_address: other.address, amount })
        : undefined;
    case 'TransferAssetContract': {
      const token = book.pick(TOKENS);
      return book.move(owner, { to: other, token, amount })
        ? make({ to_address: other.address, asset_name: hex(token), amount })
        : undefined;
    }
    case 'AssetIssueContract':
      return owner.supply === undefined ? issue(book, owner) : undefined;
    case 'ParticipateAssetIssueContract': {
      if (other.supply === undefined) return undefined;
      const { token } = other.supply;
      const bought = Math.floor((amount * PRICE.num) / PRICE.trx_num);
      if (!book.move(other, { to: owner, token, amount: bought })) return undefined;
      book.move(owner, { to: other, token: TRX, amount });
      return make({ to_address: other.address, asset_name: hex(token), amount });
    }
    case 'UnfreezeAssetContract': {
      const { supply } = owner;
      const due = supply?.parts.filter((part) => part.due <= book.now) ?? [];
      if (supply === undefined || due.length === 0) return undefined;
      for (const part of due) book.give(owner, supply.token, part.amount);
      supply.parts = supply.parts.filter((part) => part.due > book.now);
      return { rawData: encodeFields(14, { 1: bytes(owner.address) }), info: book.withFee(owner) };
    }
  }
}

/** Most supplies have one part that waits: what becomes due of several is not told. */
function issue(book: Book, owner: Account): Made {
  const token = String((issued += 1));
  const parts = Array.from({ length: book.random(6) === 0 ? 2 : 1 }, (_, index) => ({
    amount: 100 + index,
    due: book.now + 3 + index,
  }));
  owner.supply = { token, issued: parts, parts };
  book.give(owner, token, SUPPLY - parts.reduce((sum, { amount }) => sum + amount, 0));
  // Days, then the amount: tronweb encodes issues for the time of its own clock.
  const supplies = parts.map(({ amount }) => Buffer.of(0x08, amount & 127, 0x10, 1));
  return {
    rawData: encodeFields(6, { 1: bytes(owner.address), 4: BigInt(SUPPLY), 5: supplies }),
    info: book.withFee(owner, { assetIssueID: token }, ISSUE_FEE),
  };
}
