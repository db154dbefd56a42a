// SPDX-License-Identifier: Apache-2.0
import { parseCalendar } from '@chainwatch/chain-core';
import { tronNetworks } from './networks.ts';
import upgradesJson from './upgrades.json' with { type: 'json' };

/** The planned and past upgrades of these networks, checked once at load. A new one is a row in upgrades.json. */
export const tronCalendar = parseCalendar(upgradesJson, tronNetworks);
