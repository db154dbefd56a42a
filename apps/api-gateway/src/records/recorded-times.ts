// SPDX-License-Identifier: Apache-2.0
import { z } from 'zod';

/** When a record was made; most records have both times. */
export const createdAtSchema = z.iso
  .datetime()
  .meta({ description: 'When it was created.', examples: ['2026-01-01T00:00:00.000Z'] });
/** When any member of it changed last. */
export const updatedAtSchema = z.iso
  .datetime()
  .meta({ description: 'When it was changed last.', examples: ['2026-01-01T00:00:00.000Z'] });
