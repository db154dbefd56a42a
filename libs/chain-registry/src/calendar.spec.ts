// SPDX-License-Identifier: Apache-2.0
import { existsSync } from 'node:fs';
import { compareUpgrades, findOverdue } from '@chainwatch/chain-core';
import { listFamilies } from './index.ts';

const repository = new URL('../../../', import.meta.url);
// Recorded blocks stand beside the repository: ../shared/fixtures (see fixtures.md).
const fixtures = new URL('../shared/fixtures/', repository);
if (!existsSync(fixtures)) console.log('skipped: recorded blocks of upgrades (../shared/fixtures is absent)');

describe.each(listFamilies().map((family) => [family.name, family] as const))(
  'the calendar of %s',
  (_, family) => {
    const { upgrades, reviewed } = family.calendar;

    it('is in the order of dates', () => {
      expect(upgrades).toEqual([...upgrades].sort(compareUpgrades));
    });

    it('names specs that exist', () => {
      const specs = upgrades.flatMap(({ spec }) => spec ?? []);
      expect(specs.filter((spec) => !existsSync(new URL(spec, repository)))).toEqual([]);
    });

    (existsSync(fixtures) ? it : it.skip)('names recorded blocks that exist', () => {
      const files = upgrades.flatMap((row) => (row.state === 'ready' ? row.recorded : []));
      expect(files.filter((file) => !existsSync(new URL(file, fixtures)))).toEqual([]);
    });

    // By the day of the review, not by the clock: time alone fails no test. tools/test/check-calendar.ts asks the clock.
    it('had, when it was reviewed, no active upgrade without support', () => {
      expect(findOverdue(upgrades, Date.parse(reviewed))).toEqual([]);
    });
  },
);
