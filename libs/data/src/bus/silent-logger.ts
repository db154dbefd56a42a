// SPDX-License-Identifier: Apache-2.0
import type { Logger } from '@chainwatch/platform/telemetry';

const ignore = (): void => undefined;

export const silentLogger: Pick<Logger, 'info' | 'warn' | 'error'> = {
  info: ignore,
  warn: ignore,
  error: ignore,
};
