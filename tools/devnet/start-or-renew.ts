// SPDX-License-Identifier: Apache-2.0
import { existsSync, renameSync, rmSync } from 'node:fs';

/** A state that was cut short does not load: it is put aside, and the chain begins again. */
export async function startOrRenew(statePath: string, start: () => Promise<void>): Promise<void> {
  await start().catch(async (error: unknown) => {
    if (!existsSync(statePath)) throw error;
    rmSync(`${statePath}.unreadable`, { recursive: true, force: true });
    renameSync(statePath, `${statePath}.unreadable`);
    await start();
  });
}
