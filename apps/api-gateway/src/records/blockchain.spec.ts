// SPDX-License-Identifier: Apache-2.0
import { toBlockchainRecord, type BlockchainState } from './blockchain.ts';

const at = new Date('2026-01-01T00:00:00.000Z');
const report = { status: 'following', reason: null, updatedAt: at };

function readSync({
  gid = 'eip155:1',
  isActive = true,
  nodeHeadNumber = null as bigint | null,
  blockTimeMs = null as number | null,
  cursorNumber = null as bigint | null,
  analyzerStatus = 'following',
  workerReason = null as string | null,
} = {}) {
  const row: BlockchainState = {
    ...{
      gid,
      family: 'evm',
      name: 'ethereum',
      shortName: 'ETH',
      imageUrl: '',
      isActive,
      endpointSealed: null,
      otherEndpointsSealed: {},
      unproved: 'hold',
      updatedAt: at,
    },
    ingestorState: { ...report, headNumber: 375n, nodeHeadNumber, blockTimeMs, finalizedNumber: null },
    analyzerState: { ...report, status: analyzerStatus, cursorNumber, workerReason },
    balanceState: report,
    balanceRound: null,
    _count: { incidents: 0 },
  };
  return toBlockchainRecord(row, at).sync;
}

describe('how far a chain is', () => {
  it('shows the head that the node tells beside the one that is recorded, and how far it is', () => {
    expect(readSync({ nodeHeadNumber: 6_700n, cursorNumber: 359n })).toMatchObject({
      head_number: 375,
      processed_number: 359,
      node_head_number: 6_700,
      lag_blocks: 6_341,
    });
  });

  it('is never below zero: a node may be behind what was processed', () => {
    expect(readSync({ nodeHeadNumber: 12n, cursorNumber: 359n })).toMatchObject({
      node_head_number: 12,
      lag_blocks: 0,
    });
  });

  it('is not known before the node and the analyzer have said something', () => {
    expect(readSync()).toMatchObject({ node_head_number: null, lag_blocks: null });
    expect(readSync({ nodeHeadNumber: 5n })).toMatchObject({ node_head_number: 5, lag_blocks: null });
    expect(readSync({ cursorNumber: 5n })).toMatchObject({ lag_blocks: null });
  });

  it('stands still as soon as a worker beside the feed does, and says which', () => {
    const workerReason = 'history: no answer';
    expect(readSync({ workerReason })).toMatchObject({ status: 'stalled', reason: workerReason });
    expect(readSync({ workerReason, analyzerStatus: 'stalled' })).toMatchObject({
      status: 'stalled',
      reason: null,
    });
  });

  it('shows the measured block time beside the one that is expected; a local chain has neither', () => {
    expect(readSync({ blockTimeMs: 6_001 })).toMatchObject({
      block_time_ms: 6_001,
      configured_block_time_ms: 12_000,
    });
    expect(readSync()).toMatchObject({ block_time_ms: null, configured_block_time_ms: 12_000 });
    expect(readSync({ gid: 'eip155:31337' })).toMatchObject({
      block_time_ms: null,
      configured_block_time_ms: null,
    });
  });

  it('says which proof holds, by what the document says at the head', () => {
    expect(readSync({ nodeHeadNumber: 5n })).toMatchObject({
      proofs: ['header_hash', 'transactions_root', 'receipts_root'],
    });
    const celo = { gid: 'eip155:42220' };
    expect(readSync({ ...celo, nodeHeadNumber: 31_056_499n })).toMatchObject({ proofs: ['logs_bloom'] });
    expect(readSync({ ...celo, nodeHeadNumber: 31_056_500n })).toMatchObject({
      proofs: ['header_hash', 'transactions_root', 'receipts_root'],
    });
    expect(readSync({ gid: 'solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp' })).toMatchObject({
      proofs: ['transaction_signatures'],
    });
  });

  it('is nothing to speak of while the chain is not active', () => {
    expect(readSync({ isActive: false, nodeHeadNumber: 5n, cursorNumber: 5n })).toBeNull();
  });
});
