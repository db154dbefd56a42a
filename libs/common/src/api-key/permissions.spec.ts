// SPDX-License-Identifier: Apache-2.0
import { API_KEY_TYPES } from './api-key.ts';
import { hasPermission, isPermission, PERMISSIONS, permissionsOf } from './permissions.ts';

/** The table of decisions.md §7, in its own notation. */
const TABLE = {
  api: [
    'api:{blockchain,asset,token,public_key,address,notification_channel,confirmation_policy,statement,reconciliation}:{read,write}',
    'api:{block,transaction,event,delivery}:read',
    'api:delivery:replay',
    'api:webhook_secret:{read,rotate}',
  ],
  rpc: ['rpc:{evm,bitcoin,solana,tron}:{read,send}'],
  mgt: ['mgt:{workspace,project,member,key}:{read,write}', 'mgt:audit:read', 'mgt:quota:{read,write}'],
};

function expand(pattern: string): string[] {
  const match = /^(.*?)\{([^}]*)\}(.*)$/.exec(pattern);
  if (match === null) return [pattern];
  const [, before = '', choices = '', after = ''] = match;
  return choices.split(',').flatMap((choice) => expand(before + choice + after));
}

describe('permissions', () => {
  it.each(API_KEY_TYPES)('of %s keys are those of the table', (type) => {
    expect([...permissionsOf(type, ['evm', 'bitcoin', 'solana', 'tron'])].sort()).toEqual(
      TABLE[type].flatMap(expand).sort(),
    );
  });

  it('are known by name, exactly', () => {
    for (const name of [...Object.values(PERMISSIONS).flat(), 'rpc:evm:read', 'rpc:tron:send'])
      expect(isPermission(name)).toBe(true);
    for (const name of [
      'api:address',
      'api:address:*',
      'API:ADDRESS:READ',
      'mgt:audit:write',
      'rpc:evm:write',
      'rpc::read',
      '',
      undefined,
      'constructor',
    ]) {
      expect(isPermission(name)).toBe(false);
    }
  });

  it('are held or not: write does not include read, and nothing is a wildcard', () => {
    expect(hasPermission(['api:address:read'], 'api:address:read')).toBe(true);
    expect(hasPermission(['api:address:write'], 'api:address:read')).toBe(false);
    expect(hasPermission(['api:*:*', '*'], 'api:address:read')).toBe(false);
    expect(hasPermission([], 'mgt:key:write')).toBe(false);
  });
});
