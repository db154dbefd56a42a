// SPDX-License-Identifier: Apache-2.0
import { createDatabase } from '../db/index.ts';
import { startPostgres } from '../testing/index.ts';
import { takeShare } from './owned-share.ts';

it('is not ours once a lease has passed by the clock of the day, while a machine was suspended, until it is renewed', async () => {
  const postgres = await startPostgres();
  const db = createDatabase({ url: postgres.url, applicationName: 'spec' });
  const now = Date.now;
  try {
    const share = (await takeShare(
      db,
      { kind: 'channels', share: '00' },
      '00000000-0000-4000-8000-000000000001',
    ))!;
    expect(share.isOurs).toBe(true);
    Date.now = () => now() + 8_000;
    expect([share.isOurs, share.signal.aborted]).toEqual([false, false]);
    share.noteRenewed(performance.now());
    expect(share.isOurs).toBe(true);
    share.end();
  } finally {
    Date.now = now;
    await db.close();
    await postgres.stop();
  }
});
