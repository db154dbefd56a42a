// SPDX-License-Identifier: Apache-2.0
import { EVENT_SCHEMAS, streamOf, SUBJECTS, subjectOf, type SubjectKind } from './index.ts';

const PROJECT = '6f1d1f4e-0000-5000-8000-000000000001';
const balanceChanged = {
  event_id: PROJECT,
  type: 'balance.changed',
  api_version: 'v1',
  created_at: '2026-01-01T00:00:00Z',
  is_test_message: false,
  project_id: PROJECT,
  sequence: 1,
  data: {
    address_id: PROJECT,
    address: '0x00',
    chain_gid: 'eip155:1',
    asset_gid: 'eip155:1/slip44:60',
    previous: null,
    current: '1.5',
    delta: null,
    block_number: 7,
    block_hash: '0x07',
    is_confirmed: false,
  },
};

describe('subjectOf', () => {
  it('completes a kind with its tokens', () => {
    expect(subjectOf('tx.detected', ['eip155:1', PROJECT])).toBe(`tx.detected.eip155:1.${PROJECT}`);
    expect(subjectOf('key.revoked')).toBe('key.revoked');
  });

  it('fills what is missing with wildcards', () => {
    expect(subjectOf('tx.detected', ['eip155:1'])).toBe('tx.detected.eip155:1.*');
    expect(subjectOf('block.new')).toBe('block.new.*');
  });

  it('leaves tokens out that the kind does not have', () => {
    expect(subjectOf('block.new', ['eip155:1', 'more'])).toBe('block.new.eip155:1');
  });
});

describe('streamOf', () => {
  it('is the first word', () => {
    expect(new Set((Object.keys(SUBJECTS) as SubjectKind[]).map(streamOf))).toEqual(
      new Set(['block', 'tx', 'balance', 'address', 'chain', 'key']),
    );
  });
});

describe('payloads', () => {
  it('take the envelope of an event as it is, and with a schema version', () => {
    expect(SUBJECTS['balance.changed'].payload.safeParse(balanceChanged).success).toBe(true);
    expect(SUBJECTS['balance.changed'].payload.safeParse({ ...balanceChanged, schema: 1 }).success).toBe(
      true,
    );
    expect(SUBJECTS['balance.changed'].payload.safeParse({ ...balanceChanged, schema: 2 }).success).toBe(
      false,
    );
  });

  it('take a balance of an earlier release, which does not say what stands behind it', () => {
    const parsed = EVENT_SCHEMAS['balance.changed'].parse(balanceChanged);
    expect(parsed.data).not.toHaveProperty('verification');
    const said = { ...balanceChanged, data: { ...balanceChanged.data, verification: 'attested' } };
    expect(EVENT_SCHEMAS['balance.changed'].parse(said).data.verification).toBe('attested');
  });

  it.each([
    ['another verification', { verification: 'sworn' }],
    ['an exponent', { current: '1e18' }],
    ['a number', { current: 1.5 }],
    ['a bare dot', { current: '1.' }],
    ['no block', { block_number: undefined }],
  ])('refuse an event with %s', (_, change) => {
    expect(
      EVENT_SCHEMAS['balance.changed'].safeParse({
        ...balanceChanged,
        data: { ...balanceChanged.data, ...change },
      }).success,
    ).toBe(false);
  });

  it('refuse the event of another subject', () => {
    expect(SUBJECTS['tx.detected'].payload.safeParse(balanceChanged).success).toBe(false);
  });

  it.each(['block', 'reorg', 'finalize'])('take a feed entry of type %s', (type) => {
    const entry = {
      schema: 1,
      seq: 1,
      type,
      chain_gid: 'eip155:1',
      number: 0,
      hash: '0x1',
      parent_hash: '0x0',
      timestamp: 0,
    };
    expect(SUBJECTS['block.new'].payload.safeParse(entry).success).toBe(true);
    expect(SUBJECTS['block.new'].payload.safeParse({ ...entry, seq: -1 }).success).toBe(false);
  });
});
