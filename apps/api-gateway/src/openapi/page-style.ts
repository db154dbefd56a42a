/** The style of /docs. It is part of the page itself, and the CSP allows it by its hash. */
export const PAGE_STYLE = `
:root { color-scheme: light dark; --line: light-dark(#d5d9e0, #353b45); --soft: light-dark(#f4f6f9, #1c2027); --dim: light-dark(#555d6b, #9aa4b2); --mark: light-dark(#0b57d0, #8ab4f8); }
* { box-sizing: border-box; }
body { margin: 0; font: 16px/1.5 system-ui, sans-serif; display: grid; grid-template-columns: 17rem minmax(0, 1fr); }
nav { position: sticky; top: 0; height: 100vh; overflow-y: auto; padding: 1rem; border-right: 1px solid var(--line); font-size: .875rem; }
nav ul { list-style: none; margin: 0 0 1rem; padding: 0; }
nav li { padding: .125rem 0; overflow-wrap: anywhere; }
main { padding: 1rem 2rem 6rem; max-width: 62rem; }
a { color: var(--mark); text-decoration: none; }
a:hover { text-decoration: underline; }
h2 { margin-top: 3rem; border-bottom: 1px solid var(--line); }
code, pre { font: .875em/1.5 ui-monospace, monospace; }
pre { background: var(--soft); border: 1px solid var(--line); border-radius: .375rem; padding: .75rem; overflow-x: auto; max-height: 32rem; }
code { overflow-wrap: anywhere; }
details.operation { border: 1px solid var(--line); border-radius: .375rem; margin: .75rem 0; scroll-margin-top: 1rem; }
details.operation[open] { padding: 0 1rem 1rem; }
details.operation > summary { padding: .625rem 1rem; cursor: pointer; }
details.operation[open] > summary { margin: 0 -1rem; background: var(--soft); }
.method { display: inline-block; min-width: 4.5rem; font-weight: 700; }
.dim { color: var(--dim); }
table { border-collapse: collapse; width: 100%; font-size: .9375rem; }
th, td { text-align: left; vertical-align: top; padding: .375rem .75rem .375rem 0; border-bottom: 1px solid var(--line); overflow-wrap: anywhere; }
@media (max-width: 50rem) { body { display: block; } nav { position: static; height: auto; border-right: 0; } main { padding: 1rem; } }
`;
