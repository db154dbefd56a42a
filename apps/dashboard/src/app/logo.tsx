// SPDX-License-Identifier: Apache-2.0
export function Logo() {
  return (
    <span className="flex items-center gap-2 font-semibold tracking-tight">
      <svg viewBox="0 0 32 32" aria-hidden className="size-6">
        <rect width="32" height="32" rx="8" className="fill-accent" />
        <path
          d="M7 16.5h4l3-7 4.5 13 3-6H25"
          fill="none"
          stroke="#fff"
          strokeWidth="2.6"
          strokeLinecap="round"
          strokeLinejoin="round"
        />
      </svg>
      chainwatch
    </span>
  );
}
