// SPDX-License-Identifier: Apache-2.0
/** What a page of an explorer is about. */
export type Explored =
  | { readonly address: string }
  | { readonly transaction: string }
  | { readonly block: { readonly number: number; readonly hash: string | null } };

/** URL templates of an explorer, as the document of a network has them. */
export interface Explorer {
  readonly address?: string;
  readonly transaction?: string;
  readonly block?: string;
}

const STAND_IN = '0';

/**
 * The page of an explorer. What is filled in stays within its part of the URL, and no value chooses the host or the protocol.
 * @returns undefined where the explorer has no such page, or the template is no URL of the web
 */
export function buildExplorerUrl(explorer: Explorer | undefined, about: Explored): string | undefined {
  if ('address' in about) return fill(explorer?.address, { address: about.address });
  if ('transaction' in about) return fill(explorer?.transaction, { hash: about.transaction });
  const { number, hash } = about.block;
  return fill(explorer?.block, { number: String(number), ...(hash !== null && { hash }) });
}

function fill(template: string | undefined, values: Readonly<Record<string, string>>): string | undefined {
  if (template === undefined) return undefined;
  let isMissing = false;
  const replace = (choose: (name: string) => string): string =>
    template.replace(/\{(\w+)\}/g, (_whole, name: string) => {
      if (!Object.hasOwn(values, name)) isMissing = true;
      return choose(name);
    });
  const url = parseUrl(replace((name) => encodeURIComponent(values[name] ?? '')));
  const origin = parseUrl(replace(() => STAND_IN))?.origin;
  return isMissing || url === undefined || url.origin !== origin ? undefined : url.href;
}

function parseUrl(text: string): URL | undefined {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  return url?.protocol === 'https:' || url?.protocol === 'http:' ? url : undefined;
}
