// SPDX-License-Identifier: Apache-2.0
import { describeSync, type ServiceReport } from './describe-sync.ts';

const now = new Date('2026-01-01T00:10:00.000Z');
const ago = (seconds: number): Date => new Date(now.getTime() - seconds * 1_000);
const SERVICES = ['block-ingestor', 'tx-analyzer', 'balance-service'] as const;

/** Statuses of the three services, upstream first. */
function describeAll(
  statuses: readonly string[],
  options: {
    readonly silentFor?: readonly number[];
    readonly activatedFor?: number;
    readonly incidentCount?: number;
  } = {},
) {
  const reports = SERVICES.map((service, index): ServiceReport => {
    const [status = 'following', reason = null] = statuses[index]!.split(': ');
    return { service, status, reason, updatedAt: ago(options.silentFor?.[index] ?? 1) };
  });
  return describeSync({
    reports,
    activatedAt: ago(options.activatedFor ?? 3_600),
    now,
    incidentCount: options.incidentCount,
  });
}

describe('the status of a chain', () => {
  it.each([
    [['following', 'following', 'following'], 'following', null],
    [['starting', 'following', 'following'], 'starting', null],
    [['following', 'catching_up', 'starting'], 'catching_up', null],
    [['following', 'recovering', 'following'], 'recovering', null],
    [['following', 'following', 'stalled: no balances'], 'stalled', 'no balances'],
    [['recovering', 'stalled: no bodies', 'stalled: no balances'], 'stalled', 'no bodies'],
    [['stalled: no heads', 'stalled: no bodies', 'following'], 'stalled', 'no heads'],
  ])('of %j is %s', (statuses, status, reason) => {
    expect(describeAll(statuses)).toMatchObject({ status, reason });
  });

  it.each(SERVICES.map((service, index) => [service, index] as const))(
    'is unknown when nobody reported for 30 s: %s',
    (service, index) => {
      const silentFor = [1, 1, 1].with(index, 31);
      expect(describeAll(['following', 'stalled: no bodies', 'following'], { silentFor })).toEqual({
        status: 'unknown',
        reason: `the ${service} has not reported since ${ago(31).toISOString()}`,
        updatedAt: ago(31),
      });
      expect(
        describeAll(['following', 'following', 'following'], { silentFor: [1, 1, 1].with(index, 29) }),
      ).toMatchObject({ status: 'following', updatedAt: ago(29) });
    },
  );

  it('gives the services 30 s after the activation, whatever was said before it', () => {
    const statuses = ['following', 'starting', 'starting'];
    expect(describeAll(statuses, { silentFor: [9_000, 9_000, 9_000], activatedFor: 5 })).toEqual({
      status: 'starting',
      reason: null,
      updatedAt: ago(5),
    });
    expect(describeAll(statuses, { silentFor: [9_000, 9_000, 9_000], activatedFor: 31 })).toMatchObject({
      status: 'unknown',
    });
  });

  it('is degraded by an open incident, which stands above catching up and below what stands still', () => {
    expect(describeAll(['catching_up', 'following', 'following'], { incidentCount: 2 })).toMatchObject({
      status: 'degraded',
      reason: 'open incidents: 2',
    });
    expect(describeAll(['following', 'recovering', 'following'], { incidentCount: 2 })).toMatchObject({
      status: 'recovering',
    });
  });
});
