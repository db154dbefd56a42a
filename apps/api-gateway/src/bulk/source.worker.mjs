// SPDX-License-Identifier: Apache-2.0
// Development and tests run the TypeScript sources, which Node 20 cannot load by itself, and tsx registers
// its loader in the main thread only. Bundles hold bulk.worker.ts compiled instead.
import { register } from 'tsx/esm/api';

register();
const { default: carryOut } = await import('./bulk.worker.ts');
export default carryOut;
