// SPDX-License-Identifier: Apache-2.0
import { describeApi } from '../../sdk/src/describe-api.ts';
import type { Page } from './page.ts';
import { readRepository, type Repository } from './read-repository.ts';
import { writeApi } from './reference/write-api.ts';
import { writeCli } from './reference/write-cli.ts';
import { writeEvents } from './reference/write-events.ts';
import { writeProblems } from './reference/write-problems.ts';

/** Every page of the site: those of the repository, and the reference from the code. */
export function listPages(): Repository {
  const { pages, files } = readRepository();
  return { pages: [...pages, ...writeReference()], files };
}

function writeReference(): Page[] {
  const document = describeApi();
  return [...writeApi(document), writeEvents(document), writeCli(), ...writeProblems(document)];
}
