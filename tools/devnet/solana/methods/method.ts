// SPDX-License-Identifier: Apache-2.0
import { PublicKey } from '@solana/web3.js';
import type { Ledger } from '../ledger.ts';
import { invalidParams, RpcError } from '../rpc-error.ts';

export interface MethodContext {
  readonly ledger: Ledger;
  /** Makes a block at once, or sets how often one is made by itself; 0: never. */
  readonly setIntervalMs: (intervalMs: number) => void;
}

export type Params = readonly unknown[];
export type Method = (context: MethodContext, params: Params) => unknown;
export type Config = Readonly<Record<string, unknown>>;

/** The configuration object, which stands last where it stands at all. */
export function configOf(params: Params, position: number): Config {
  const config = params[position];
  return typeof config === 'object' && config !== null ? (config as Config) : {};
}

export function commitmentOf(config: Config): 'processed' | 'confirmed' | 'finalized' {
  const commitment = config['commitment'] ?? 'finalized';
  if (commitment === 'processed' || commitment === 'confirmed' || commitment === 'finalized')
    return commitment;
  if (commitment === 'recent') return 'processed';
  if (commitment === 'max' || commitment === 'root') return 'finalized';
  throw invalidParams(`unknown commitment ${String(commitment)}`);
}

export function keyOf(value: unknown): PublicKey {
  try {
    return new PublicKey(value as string);
  } catch {
    throw invalidParams('WrongSize');
  }
}

export function numberOf(value: unknown, name: string): number {
  if (typeof value !== 'number' || !Number.isSafeInteger(value) || value < 0)
    throw invalidParams(`expected ${name} to be a whole number, got ${JSON.stringify(value)}`);
  return value;
}

/** The state is always the head's. @throws RpcError when the caller wants it younger */
export function withContext({ ledger }: MethodContext, config: Config, value: unknown): object {
  const { slot } = ledger.head;
  const { minContextSlot } = config;
  if (typeof minContextSlot === 'number' && minContextSlot > slot)
    throw new RpcError(-32016, 'Minimum context slot has not been reached', { contextSlot: slot });
  return { context: { apiVersion: '3.0.0', slot }, value };
}
