// SPDX-License-Identifier: Apache-2.0
/** bcoin's database hands leveldown nulls where a range has no bound; leveldown 6 takes them for the text `null`, and finds nothing. */
export function leaveOutNullBounds({ chain }) {
  const { binding } = chain.db.db;
  const iterator = binding.iterator.bind(binding);
  binding.iterator = (options) =>
    iterator(Object.fromEntries(Object.entries(options).filter(([, value]) => value !== null)));
}
