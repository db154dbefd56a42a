import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The clone's root, whatever folder the command was run in. */
export const repoDir = dirname(dirname(dirname(fileURLToPath(import.meta.url))));

/** State of the local stack; git-ignored. */
export const stateDir = join(repoDir, '.chainwatch');
