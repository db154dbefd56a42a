// SPDX-License-Identifier: Apache-2.0
import { EVENT_SUBJECTS } from '@chainwatch/events';

export interface SubscriberAccount {
  readonly projectId: string;
  /** Public key of its user (`U…`). */
  readonly user: string;
}

/** What an account may keep in the server. A project that fills its share loses nothing of others. */
const JETSTREAM_LIMITS = '{ max_memory: 0, max_file: 4G, max_streams: 4, max_consumers: 64 }';

/**
 * The `accounts` of a nats-server: what services publish stays in theirs, and each project's account gets the subjects of that
 * project alone. Accounts share nothing else, so that streams, consumers and messages of one are out of reach for all others.
 */
export function buildAccounts(services: string, projects: readonly SubscriberAccount[]): string {
  return `# Written by \`chainwatch nats account\`. Include it in the server's configuration, then \`nats-server --signal reload\`.
accounts {
  CHAINWATCH {
    jetstream: enabled
    users: [ { nkey: ${services} } ]
    exports: [
${projects.flatMap(({ projectId }) => subjectsOf(projectId).map((subject) => `      { stream: "${subject}", accounts: [${nameOf(projectId)}] }`)).join('\n')}
    ]
  }
${projects.map(buildAccount).join('\n')}
}
`;
}

function buildAccount({ projectId, user }: SubscriberAccount): string {
  return `  ${nameOf(projectId)} {
    jetstream: ${JETSTREAM_LIMITS}
    users: [ { nkey: ${user} } ]
    imports: [
${subjectsOf(projectId)
  .map((subject) => `      { stream: { account: CHAINWATCH, subject: "${subject}" } }`)
  .join('\n')}
    ]
  }`;
}

/**
 * What is told to this project, whatever the chain: a wildcard for each family of events (`tx.*.*.<project>`), so that a new
 * type of a family needs no new file. Subjects without a project are internal, and in other families.
 */
export function subjectsOf(projectId: string): string[] {
  return [...new Set(Object.keys(EVENT_SUBJECTS).map((subject) => subject.split('.')[0]))].map(
    (family) => `${family}.*.*.${projectId}`,
  );
}

const nameOf = (projectId: string): string => `PROJECT_${projectId.replaceAll('-', '_')}`;
