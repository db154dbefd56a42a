import { z } from 'zod';
import { assetPathSchema, chainGidSchema } from '@chainwatch/caip';

export const chainParams = z.object({ chain_gid: chainGidSchema });
export const assetParams = z.object({ chain_gid: chainGidSchema, asset_path: assetPathSchema });
export const families = ['evm', 'bitcoin', 'solana', 'tron'] as const;
export const familySchema = z.enum(families);
/** Part of a name: at most 128 characters. */
export const searchSchema = z.string().trim().min(1).max(128).optional();
/** What a user calls something. */
export const nameSchema = z.string().trim().min(1).max(255);
export const timestampSchema = z.iso.datetime({ offset: true }).transform((text) => new Date(text));
