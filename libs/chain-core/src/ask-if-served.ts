// SPDX-License-Identifier: Apache-2.0
import { ChainClientError } from './errors.ts';

/**
 * What a node answers; undefined where it, or a gateway before it, answers that it does not serve the question.
 * @throws ChainClientError where no answer came
 */
export async function askIfServed<T>(answer: Promise<T>): Promise<T | undefined> {
  try {
    return await answer;
  } catch (error) {
    if (error instanceof ChainClientError && error.nodeCode !== undefined) return undefined;
    throw error;
  }
}
