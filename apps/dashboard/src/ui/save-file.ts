// SPDX-License-Identifier: Apache-2.0
const KEPT_MS = 60_000;

/** Offers a file that the page has made, under a name. */
export function saveFile(file: Blob, name: string): void {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(file);
  link.download = name;
  link.click();
  // The browser reads it after this.
  setTimeout(() => URL.revokeObjectURL(link.href), KEPT_MS);
}
