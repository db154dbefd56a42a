// SPDX-License-Identifier: Apache-2.0
import '../spec-support/page-request.ts';
import { actingHeaders, actingOn } from './client.ts';
import { chooseProject, rememberProject, type Session } from './session.ts';

const kept = new Map<string, string>();
const location = { search: '' };
beforeAll(() => {
  Object.defineProperty(globalThis, 'location', { value: location, configurable: true });
  Object.defineProperty(globalThis, 'localStorage', {
    value: {
      getItem: (name: string) => kept.get(name) ?? null,
      setItem: (name: string, value: string) => kept.set(name, value),
    },
    configurable: true,
  });
});
beforeEach(() => {
  kept.clear();
  location.search = '';
  rememberProject(undefined);
});

const sessionOf = (...ids: string[]): Session =>
  ({ projects: ids.map((id) => ({ id, name: id })) }) as unknown as Session;

describe('the project that a page acts on', () => {
  it('is the one that was looked at last, else the first', () => {
    expect(chooseProject(sessionOf('a', 'b'))?.id).toBe('a');
    kept.set('chainwatch.project', 'b');
    expect(chooseProject(sessionOf('a', 'b'))?.id).toBe('b');
    expect(chooseProject(sessionOf('a'))?.id).toBe('a');
    expect(chooseProject(sessionOf())).toBeUndefined();
  });

  it('stays the one that it shows when another tab chooses another', () => {
    rememberProject('a');
    kept.set('chainwatch.project', 'b');
    expect(chooseProject(sessionOf('a', 'b'))?.id).toBe('a');
  });

  it('is the one that a link names, until the page shows another', () => {
    kept.set('chainwatch.project', 'b');
    location.search = '?project=c';
    expect(chooseProject(sessionOf('a', 'b', 'c'))?.id).toBe('c');
    expect(chooseProject(sessionOf('a', 'b'))?.id).toBe('b');
    rememberProject('a');
    expect(chooseProject(sessionOf('a', 'b', 'c'))?.id).toBe('a');
  });

  it('is none after signing in without one', () => {
    rememberProject('a');
    rememberProject(chooseProject(sessionOf())?.id);
    expect([actingOn(), actingHeaders()]).toEqual([undefined, {}]);
  });
});
