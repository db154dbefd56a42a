// SPDX-License-Identifier: Apache-2.0
/**
 * For pages: only what their own origin serves, no inline script or style, no frame, nothing of anybody else.
 * @param callable origins that scripts of the page may call besides
 * @param framing origins whose pages may frame the page
 */
export function writeContentSecurityPolicy(
  callable: readonly string[] = [],
  framing: readonly string[] = [],
): string {
  return [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "img-src 'self' data:",
    "font-src 'self'",
    ["connect-src 'self'", ...callable].join(' '),
    "base-uri 'none'",
    "form-action 'none'",
    ['frame-ancestors', ...(framing.length > 0 ? framing : ["'none'"])].join(' '),
  ].join('; ');
}
