// SPDX-License-Identifier: Apache-2.0
import { readFile } from 'node:fs/promises';
import { balanceEventIdOf, eventIdOf, transactionIdOf, uuidv5 } from './event-id.ts';

interface Vector {
  readonly name: string;
  readonly uuid: string;
}

const vectors = JSON.parse(
  await readFile(new URL('./event-id.vectors.json', import.meta.url), 'utf8'),
) as Vector[];
const projectId = '6f1d1f4e-0000-5000-8000-000000000001';

describe('event ids', () => {
  it.each(vectors)('makes the same UUID as other implementations of $name', ({ name, uuid }) => {
    expect(uuidv5(name)).toBe(uuid);
  });

  it('names an event by project, type, chain, hash and epoch', () => {
    const key = {
      projectId,
      type: 'transaction.detected',
      chainGid: 'eip155:1',
      hash: '0xabc',
      epoch: 0,
    } as const;
    expect(eventIdOf(key)).toBe('1db6763a-b653-5540-99f0-62a7045715af');
    expect(eventIdOf({ ...key, type: 'transaction.reorged', epoch: 1 })).toBe(
      'd087dca8-53af-52b9-9bd4-d37daf35bf73',
    );
  });

  it('names a progress by its number of confirmations, too', () => {
    const key = {
      projectId,
      type: 'transaction.progress',
      chainGid: 'eip155:1',
      hash: '0xabc',
      epoch: 2,
    } as const;
    expect(eventIdOf({ ...key, confirmations: 7 })).toBe(
      uuidv5(`${projectId}|transaction.progress|eip155:1|0xabc|2|7`),
    );
    expect(eventIdOf({ ...key, confirmations: 8 })).not.toBe(eventIdOf({ ...key, confirmations: 7 }));
  });

  it('names a record by project, chain and hash', () => {
    expect(transactionIdOf(projectId, 'eip155:1', '0xabc')).toBe('05134b10-1e6d-5d98-9b7a-f1efefb1f0cc');
  });

  it('names a balance event by its count and by what it tells', () => {
    const key = {
      projectId,
      chainGid: 'eip155:1',
      addressId: projectId,
      assetGid: 'eip155:1/slip44:60',
      changeCount: 1,
      blockHash: '0xb1',
      amountRaw: 20n,
    };
    expect(balanceEventIdOf(key)).toBe(
      uuidv5(`${projectId}|balance.changed|eip155:1|${projectId}|eip155:1/slip44:60|1|0xb1|20`),
    );
    for (const other of [{ changeCount: 2 }, { blockHash: '0xb2' }, { amountRaw: 21n }])
      expect(balanceEventIdOf({ ...key, ...other })).not.toBe(balanceEventIdOf(key));
  });
});
