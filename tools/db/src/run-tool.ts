// SPDX-License-Identifier: Apache-2.0
import { parseArgs, type ParseArgsConfig } from 'node:util';

/** A wrong argument of a tool. */
export class ArgumentError extends Error {}

type Options = NonNullable<ParseArgsConfig['options']>;
type Values<T extends Options> = ReturnType<typeof parseArgs<{ options: T }>>['values'];

/** Runs a tool of the operator. Wrong arguments end it with 2 before it does anything, other errors with 1. */
export async function runTool<const T extends Options>(
  options: T,
  work: (values: Values<T>) => Promise<void>,
): Promise<void> {
  try {
    await work(readValues(options));
  } catch (error) {
    console.error(error instanceof Error ? error.message : error);
    process.exitCode = error instanceof ArgumentError ? 2 : 1;
  }
}

function readValues<const T extends Options>(options: T): Values<T> {
  try {
    return parseArgs({ options }).values;
  } catch (error) {
    throw new ArgumentError((error as Error).message.split('. ')[0]);
  }
}
