// SPDX-License-Identifier: Apache-2.0
// Development and tests run the TypeScript sources, which Node 20 cannot load by itself, and tsx registers
// its loader in the main thread only. Bundles hold derivation.worker.ts compiled instead.
import { register } from 'tsx/esm/api';

register();
const { default: answer } = await import('./derivation.worker.ts');
export default answer;
