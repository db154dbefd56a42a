// SPDX-License-Identifier: Apache-2.0
import { planChange } from './plan-change.ts';
import type { Anchor } from './read-anchors.ts';
import type { Reading } from '../read/target.ts';

const reading = (amountRaw: bigint, number = 10): Reading => ({
  addressId: 'a',
  projectId: 'p',
  address: '0xaa',
  display: '0xAA',
  assetGid: 'gid',
  decimals: 18,
  block: { number, hash: `0x${number}` },
  parent: undefined,
  baselineRaw: undefined,
  isSuspected: false,
  isRetroactive: false,
  traceparent: undefined,
  amountRaw,
});
const anchor = (amountRaw: bigint, number: number, notified = amountRaw): Anchor => ({
  last: { amountRaw, block: { number, hash: `0x${number}` } },
  notified: { amountRaw: notified, changeCount: 4, isOrphaned: false },
});
const unknown: Anchor = { last: undefined, notified: undefined };

describe('planChange', () => {
  it('tells a first balance, without an adjustment', () => {
    expect(planChange(reading(5n), unknown, 0n)).toMatchObject({
      isNotified: true,
      isAnchor: true,
      adjustmentRaw: 0n,
      previousRaw: undefined,
      changeCount: 1,
      block: { number: 10 },
    });
  });

  it('keeps a first balance of zero to itself', () => {
    expect(planChange(reading(0n), unknown, 0n)).toMatchObject({
      isNotified: false,
      isAnchor: true,
      changeCount: 0,
    });
  });

  it('needs no adjustment for what transfers explain', () => {
    expect(planChange(reading(8n), anchor(5n, 7), 3n)).toMatchObject({
      isNotified: true,
      isAnchor: true,
      adjustmentRaw: 0n,
      previousRaw: 5n,
      changeCount: 5,
    });
  });

  it('makes an adjustment of what they do not, since the last reading', () => {
    expect(planChange(reading(7n), anchor(5n, 7), 3n)).toMatchObject({
      adjustmentRaw: -1n,
      adjustedSince: 7,
    });
  });

  it('makes one even when the balance is the same', () => {
    expect(planChange(reading(5n), anchor(5n, 7), 3n)).toMatchObject({
      adjustmentRaw: -3n,
      isAnchor: true,
      isNotified: false,
    });
  });

  it('leaves an unchanged balance where it was read first', () => {
    expect(planChange(reading(5n), anchor(5n, 7), 0n)).toMatchObject({
      isAnchor: false,
      isNotified: false,
      block: { number: 7, hash: '0x7' },
      changeCount: 4,
    });
  });

  it('anchors an unchanged balance anew after many blocks', () => {
    expect(planChange(reading(5n, 400), anchor(5n, 7), 0n)).toMatchObject({
      isAnchor: true,
      isNotified: false,
      block: { number: 400 },
    });
  });

  it('ignores a reading older than the last one', () => {
    expect(planChange(reading(5n, 6), anchor(9n, 7), 0n)).toBeUndefined();
  });

  it('tells against what was told, not against the anchor', () => {
    // Told in an orphan; the canonical anchor is older.
    expect(planChange(reading(5n), anchor(5n, 7, 9n), 0n)).toMatchObject({
      isNotified: true,
      previousRaw: 9n,
      adjustmentRaw: 0n,
    });
  });
});
