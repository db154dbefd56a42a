/** A chain of JSON blocks, whose hash is over all that a block says. */
export { toyFamily } from './toy-family.ts';
