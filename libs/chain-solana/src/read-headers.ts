// SPDX-License-Identifier: Apache-2.0
import { ChainClientError } from '@chainwatch/chain-core';
import type { BlockHeader, BlockRef } from '@chainwatch/chain-core';
import { z } from 'zod';
import { askWithVersions } from './ask-with-versions.ts';
import { isMissingBlock, isNotYet, isSkipped } from './classify-node-error.ts';
import type { Session } from './session.ts';

type Commitment = 'confirmed' | 'finalized';

const slotSchema = z.int().min(0);
const slotsSchema = z.array(slotSchema);
const hashSchema = z.string().regex(/^[1-9A-HJ-NP-Za-km-z]{32,44}$/);
const headerSchema = z.object({
  blockhash: hashSchema,
  previousBlockhash: hashSchema,
  parentSlot: slotSchema,
  blockTime: z.int().nullish(),
});

/** Asks for blocks without bodies: some hundred bytes in place of megabytes. */
const HEADER_CONFIG = { encoding: 'base64', transactionDetails: 'none', rewards: false };
/** If the block of the newest slot is not available yet, one of this many slots before it is. */
const HEAD_SLOTS = 32;

/** The newest confirmed block. */
export async function readHead(session: Session, signal?: AbortSignal): Promise<BlockHeader> {
  const slot = await readSlot(session, 'confirmed', signal);
  try {
    return await readHeader(session, { slot, commitment: 'confirmed', signal });
  } catch (error) {
    if (!isMissingBlock(error)) throw error;
    return readHeadBelow(session, { slot, reason: error, signal });
  }
}

async function readHeadBelow(
  session: Session,
  {
    slot,
    reason,
    signal,
  }: { readonly slot: number; readonly reason: unknown; readonly signal?: AbortSignal },
): Promise<BlockHeader> {
  const slots = await listSlots(session, { from: Math.max(0, slot - HEAD_SLOTS), to: slot - 1, signal });
  const last = slots.at(-1);
  if (last === undefined) throw reason;
  return readHeader(session, { slot: last, commitment: 'confirmed', signal });
}

/** The block that the node calls final; on Alpenglow the confirmed head, which is final. */
export async function findFinalized(session: Session, signal?: AbortSignal): Promise<BlockRef | undefined> {
  const since = await session.consensus.findAlpenglowSlot(session.rpc, signal);
  if (since !== undefined) {
    const { number, hash } = await readHead(session, signal);
    if (number > since) return { number, hash };
  }
  const slot = await readSlot(session, 'finalized', signal);
  try {
    const { number, hash } = await readHeader(session, { slot, commitment: 'finalized', signal });
    return { number, hash };
  } catch (error) {
    // The slot is rooted, but its block is not stored yet; the next call finds it.
    if (isNotYet(error) || isSkipped(error)) return undefined;
    throw error;
  }
}

export async function findHeaderByNumber(
  session: Session,
  slot: number,
  signal?: AbortSignal,
): Promise<BlockHeader | undefined> {
  try {
    return await readHeader(session, { slot, commitment: 'confirmed', signal });
  } catch (error) {
    if (isMissingBlock(error)) return undefined;
    throw error;
  }
}

/** Nodes have no look-up by hash. Only blocks that this client has met are found, by their slot. */
export async function findHeaderByHash(
  session: Session,
  hash: string,
  signal?: AbortSignal,
): Promise<BlockHeader | undefined> {
  const slot = session.slots.find(hash);
  const header = slot === undefined ? undefined : await findHeaderByNumber(session, slot, signal);
  return header?.hash === hash ? header : undefined;
}

/**
 * The headers of the slots of [from, to] that have a block. The node is not trusted about empty slots: each
 * block names the slot of its parent, which reveals a block that the node leaves out.
 * @throws ChainClientError when the headers are not linked, or a listed block is not available
 */
export async function readHeaders(
  session: Session,
  { from, to, signal }: { readonly from: number; readonly to: number; readonly signal?: AbortSignal },
): Promise<BlockHeader[]> {
  const slots = await listSlots(session, { from, to, signal });
  const headers = await Promise.all(slots.map((slot) => readListed(session, slot, signal)));
  headers.forEach((header, position) => expectLinked(headers[position - 1], header));
  return headers;
}

/** Confirmed slots with a block. */
export async function listSlots(
  session: Session,
  { from, to, signal }: { readonly from: number; readonly to: number; readonly signal?: AbortSignal },
): Promise<number[]> {
  const slots = parse(
    'getBlocks',
    slotsSchema,
    await session.rpc.call('getBlocks', [from, to, { commitment: 'confirmed' }], signal),
  );
  slots.forEach((slot, position) => {
    if (slot < from || slot > to || slot <= (slots[position - 1] ?? -1))
      throw new ChainClientError(`getBlocks: expected ascending slots ${from} to ${to}, got ${slot}`);
  });
  return slots;
}

async function readListed(session: Session, slot: number, signal?: AbortSignal): Promise<BlockHeader> {
  try {
    return await readHeader(session, { slot, commitment: 'confirmed', signal });
  } catch (error) {
    if (!isMissingBlock(error)) throw error;
    throw new ChainClientError(
      `getBlock: expected the block of slot ${slot}, which getBlocks told of, got none`,
      { cause: error },
    );
  }
}

async function readHeader(
  session: Session,
  {
    slot,
    commitment,
    signal,
  }: { readonly slot: number; readonly commitment: Commitment; readonly signal?: AbortSignal },
): Promise<BlockHeader> {
  const result = await askWithVersions(session, (maxSupportedTransactionVersion) =>
    session.rpc.call(
      'getBlock',
      [slot, { ...HEADER_CONFIG, maxSupportedTransactionVersion, commitment }],
      signal,
    ),
  );
  // Very old nodes answer null for a slot that they have not reached.
  if (result === null)
    throw new ChainClientError(`getBlock: slot ${slot} has no block yet`, { nodeCode: -32004 });
  const raw = parse('getBlock', headerSchema, result);
  if (raw.parentSlot >= slot && slot > 0)
    throw new ChainClientError(`getBlock: expected a parent below slot ${slot}, got ${raw.parentSlot}`);
  const header = {
    number: slot,
    hash: raw.blockhash,
    parentHash: raw.previousBlockhash,
    parentNumber: raw.parentSlot,
    timestamp: raw.blockTime ?? 0,
  };
  session.slots.note(header);
  return header;
}

async function readSlot(session: Session, commitment: Commitment, signal?: AbortSignal): Promise<number> {
  return parse('getSlot', slotSchema, await session.rpc.call('getSlot', [{ commitment }], signal));
}

function expectLinked(previous: BlockHeader | undefined, header: BlockHeader): void {
  if (
    previous === undefined ||
    (header.parentNumber === previous.number && header.parentHash === previous.hash)
  )
    return;
  throw new ChainClientError(
    `headers are not linked: expected parent ${previous.number} ${previous.hash} of block ${header.number}, got ${header.parentNumber} ${header.parentHash}`,
  );
}

export function parse<T>(method: string, schema: z.ZodType<T>, result: unknown): T {
  const parsed = schema.safeParse(result);
  if (parsed.success) return parsed.data;
  const issue = parsed.error.issues[0];
  throw new ChainClientError(
    `${method}: ${issue?.path.join('.') ?? ''} ${issue?.message ?? 'not what was expected'}`,
  );
}
