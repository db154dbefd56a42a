// SPDX-License-Identifier: Apache-2.0
/** `npm run stop`: ends the stack of this clone, and whatever a killed one left behind. */
import { join } from 'node:path';
import { endProcess, killLeftovers, readLivePidFile } from './pid-files.mjs';
import { stateDir } from '../../libs/testing/src/host/repo.mjs';
import { exitWith, UsageError } from '../../libs/testing/src/host/setup-error.mjs';

const [stray] = process.argv.slice(2);
if (stray !== undefined) exitWith(new UsageError(`expected no arguments, got ${stray}: npm run stop`));

const runDir = join(stateDir, 'run');
const wasRunning = readLivePidFile(runDir, 'supervisor') !== undefined;
if (wasRunning) process.stdout.write('Stopping …\n');
// The supervisor stops everything in order, which takes it up to the longest grace of a service.
await endProcess(runDir, 'supervisor', 40_000);
const leftovers = await killLeftovers(runDir);
process.stdout.write(
  wasRunning
    ? 'Stopped.\n'
    : leftovers.length > 0
      ? `Stopped what a killed stack left behind: ${leftovers.join(', ')}.\n`
      : 'Nothing is running.\n',
);
