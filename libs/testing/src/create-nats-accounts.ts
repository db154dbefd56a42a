// SPDX-License-Identifier: Apache-2.0
import { randomUUID } from 'node:crypto';
import { nkeys } from '@nats-io/transport-node';

type KeyPair = ReturnType<typeof nkeys.createUser>;

/** A server whose users are JWTs (https://docs.nats.io/running-a-nats-service/nats_admin/security/jwt): its configuration, and one user's `.creds`. */
export function createNatsAccounts(): {
  readonly configuration: string;
  readonly creds: string;
  readonly strangerCreds: string;
} {
  const [operator, system, account, stranger] = [
    nkeys.createOperator(),
    nkeys.createAccount(),
    nkeys.createAccount(),
    nkeys.createAccount(),
  ];
  const operatorJwt = issue(operator, operator, { type: 'operator' });
  const base = {
    subs: -1,
    data: -1,
    payload: -1,
    imports: -1,
    exports: -1,
    wildcards: true,
    conn: -1,
    leaf: -1,
  };
  // The system account may have none.
  const jetStream = { mem_storage: -1, disk_storage: -1, streams: -1, consumer: -1 };
  const accountJwt = (subject: KeyPair, of: object): string =>
    issue(operator, subject, { type: 'account', limits: of, default_permissions: { pub: {}, sub: {} } });
  const configuration = `
operator: ${operatorJwt}
system_account: ${system.getPublicKey()}
resolver: MEMORY
resolver_preload: {
  ${system.getPublicKey()}: ${accountJwt(system, base)}
  ${account.getPublicKey()}: ${accountJwt(account, { ...base, ...jetStream })}
}`;
  return { configuration, creds: createCreds(account), strangerCreds: createCreds(stranger) };
}

function createCreds(account: KeyPair): string {
  const user = nkeys.createUser();
  const jwt = issue(account, user, { type: 'user', pub: {}, sub: {}, subs: -1, data: -1, payload: -1 });
  const seed = new TextDecoder().decode(user.getSeed());
  return `-----BEGIN NATS USER JWT-----\n${jwt}\n------END NATS USER JWT------\n\n-----BEGIN USER NKEY SEED-----\n${seed}\n------END USER NKEY SEED------\n`;
}

function issue(issuer: KeyPair, subject: KeyPair, claims: object): string {
  const payload = {
    jti: randomUUID(),
    iat: Math.floor(Date.now() / 1_000),
    iss: issuer.getPublicKey(),
    name: 'spec',
    sub: subject.getPublicKey(),
    nats: { ...claims, version: 2 },
  };
  const body = [{ typ: 'JWT', alg: 'ed25519-nkey' }, payload]
    .map((part) => Buffer.from(JSON.stringify(part)).toString('base64url'))
    .join('.');
  return `${body}.${Buffer.from(issuer.sign(Buffer.from(body))).toString('base64url')}`;
}
