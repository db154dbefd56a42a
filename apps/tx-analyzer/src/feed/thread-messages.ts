import type { ActiveChain, Block, BlockRef, UnknownPart } from '@chainwatch/chain-core';

/** To a thread. `readerId` names an opened chain, `id` one reading. */
export type ThreadRequest =
  | { readonly type: 'open'; readonly readerId: number; readonly chain: ActiveChain }
  | { readonly type: 'read'; readonly readerId: number; readonly id: number; readonly ref: BlockRef }
  | { readonly type: 'abort'; readonly id: number }
  | { readonly type: 'close'; readonly readerId: number };

/** From a thread. */
export type ThreadReply =
  | { readonly type: 'block'; readonly id: number; readonly block: Block }
  | {
      readonly type: 'error';
      readonly id: number;
      readonly message: string;
      readonly publicMessage: string;
      readonly unknowns?: readonly UnknownPart[];
    };
