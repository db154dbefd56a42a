// SPDX-License-Identifier: Apache-2.0
/** The key that opens the search box, as it is called on the reader's machine. */
export const SEARCH_KEY = /Mac|iPhone|iPad/.test(navigator.platform) ? '⌘K' : 'Ctrl K';
