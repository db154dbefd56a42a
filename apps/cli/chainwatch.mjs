#!/usr/bin/env node
// SPDX-License-Identifier: Apache-2.0
/**
 * `npx --no-install chainwatch` in the repository: bundles the CLI where its sources have changed, and runs it. What is
 * published, and what an image holds, is that bundle: `node apps/cli/build.mjs <file>`.
 */
import { pathToFileURL } from 'node:url';
import { bundleCli } from './build.mjs';

await import(pathToFileURL(await bundleCli()).href);
