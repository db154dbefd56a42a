// Tables of what the scanner found: a row each for transactions, receipts and logs, whose fields layout.ts has. A text in a
// row is its position and its length; a position of 0 is null, or a field that is not there.

@inline
export function textAtOf(row: usize, slot: usize): usize {
  return load<u32>(row + slot);
}

@inline
export function lengthOf(row: usize, slot: usize): u32 {
  return load<u32>(row + slot, 4);
}

/** Whether a row has a text in this slot. */
@inline
export function has(row: usize, slot: usize): bool {
  return load<u32>(row + slot) != 0;
}

/** Memory that is free from here on. */
let top: usize = 0;

export function startTables(from: usize): void {
  top = (from + 15) & ~15;
}

/** Zeroed, at a multiple of 8; one after the other. */
export function allocate(size: usize): usize {
  const from = reserve(size);
  memory.fill(from, 0, size);
  return from;
}

/** As it was left, at a multiple of 8. */
export function reserve(size: usize): usize {
  const from = top;
  top = (top + size + 7) & ~7;
  const missing = <i32>((top + 0xffff) >>> 16) - memory.size();
  if (missing > 0 && memory.grow(max(missing, 64)) < 0) unreachable();
  return from;
}
