// Development and tests run the sources, which Node 20 cannot read by itself, least of all in a thread: tsx gives its
// loader to the main thread only. Bundles hold derivation.worker.ts compiled instead.
import { register } from 'tsx/esm/api';

register();
await import('./derivation.worker.ts');
