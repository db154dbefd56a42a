// SPDX-License-Identifier: Apache-2.0
import type { ComponentType } from 'react';
import { use } from 'react';
import { suspect } from '../api/connection.ts';

/** A page whose code is read when it is first needed. */
export interface LazyPage {
  (): React.ReactNode;
  preload(): Promise<void>;
}

const pages: LazyPage[] = [];

/**
 * Code that could not be read is asked for again, not the whole application: where the network is away, that would end in the
 * browser's own page. Only where the server has other code by now, the application is read anew.
 */
export function lazyPage<Name extends string>(
  load: () => Promise<Readonly<Record<Name, ComponentType>>>,
  name: Name,
): LazyPage {
  let component: ComponentType | undefined;
  let loading: Promise<void> | undefined;
  const preload = (): Promise<void> =>
    (loading ??= load().then(
      (module) => void (component = module[name]),
      async (error: unknown) => {
        loading = undefined;
        suspect();
        await reloadIfReplaced();
        throw error;
      },
    ));
  const Page: LazyPage = () => {
    if (component === undefined) use(preload());
    const Loaded = component!;
    return <Loaded />;
  };
  Page.preload = preload;
  pages.push(Page);
  return Page;
}

/** After the first page, while nothing else is to be done: a page is there when the network is not. */
export function preloadPages(): void {
  // What was read before it is what the first page needed.
  performance.mark('preload');
  preloadNext();
}

function preloadNext(): void {
  const next = pages.shift();
  if (next === undefined) return;
  const load = async (): Promise<void> => {
    await next.preload().catch(() => undefined);
    preloadNext();
  };
  const wait = window.requestIdleCallback ?? ((then: () => void) => setTimeout(then, 200));
  wait(() => void load());
}

/** A release that came meanwhile has other names for its files. */
async function reloadIfReplaced(): Promise<void> {
  const answer = await fetch(location.pathname, { cache: 'no-store' }).catch(() => undefined);
  if (answer?.ok !== true) return;
  const entry = document.querySelector('script[type=module][src]')?.getAttribute('src') ?? '';
  if ((await answer.text()).includes(entry)) return;
  location.reload();
  await new Promise(() => undefined);
}
