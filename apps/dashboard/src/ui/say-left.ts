// SPDX-License-Identifier: Apache-2.0
/** How long until then: `23 h 59 min`, `4 min`, `59 s`; nothing is left of what is over. */
export function sayLeft(untilMs: number, nowMs: number): string {
  const seconds = Math.max(0, Math.ceil((untilMs - nowMs) / 1_000));
  if (seconds < 60) return `${seconds} s`;
  const [hours, minutes] = [Math.floor(seconds / 3_600), Math.floor((seconds % 3_600) / 60)];
  return hours === 0 ? `${minutes} min` : `${hours} h ${minutes} min`;
}
