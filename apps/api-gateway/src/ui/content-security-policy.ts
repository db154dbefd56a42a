/**
 * For pages: only what their own origin serves, no inline script or style, no frame, nothing of anybody else.
 * @param callable origins that scripts of the page may call besides
 */
export function writeContentSecurityPolicy(callable: readonly string[] = []): string {
  return [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "img-src 'self' data:",
    "font-src 'self'",
    ["connect-src 'self'", ...callable].join(' '),
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; ');
}
