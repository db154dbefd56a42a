// SPDX-License-Identifier: Apache-2.0
/** `npm run calendar`: fails when an upgrade is active that this release does not support. Run it before a release. */
import { listFamilies } from '@chainwatch/chain-registry';
import { listCalendarFaults } from './list-calendar-faults.ts';

const upgrades = listFamilies().flatMap(({ calendar }) => calendar.upgrades);
const { faults, warnings } = listCalendarFaults(upgrades, Date.now());
for (const row of warnings) console.log(`within 30 days and not supported: ${row}`);
for (const row of faults) console.error(`active and not supported: ${row}`);
console.log(`${upgrades.length} upgrades, ${faults.length} active and not supported`);
if (faults.length > 0) process.exitCode = 1;
