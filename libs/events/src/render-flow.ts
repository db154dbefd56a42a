// SPDX-License-Identifier: Apache-2.0
import { FLOW, type FlowService } from './flow.ts';
import { streamOf } from './subject-of.ts';
import { SUBJECTS, type SubjectKind } from './subjects.ts';

const kinds = Object.keys(SUBJECTS) as SubjectKind[];
const services = Object.keys(FLOW) as FlowService[];

/** The text of docs/flow.md: the diagram and the tables, made from the flow table and the schemas. */
export function renderFlow(): string {
  return [
    '# Flow of the bus',
    '',
    'Generated from `libs/events` (`UPDATE_DOCS=1 npm test -- libs/events`); flow.spec.ts proves that it is up to date and that data flows one way.',
    '',
    '```mermaid',
    'flowchart LR',
    ...services.map((service) => `  ${nodeId(service)}["${service}"]`),
    ...edges().map(([from, to, labels]) => `  ${nodeId(from)} -->|"${labels.join('<br/>')}"| ${nodeId(to)}`),
    '```',
    '',
    '## Subjects',
    '',
    'One JetStream stream per first word. Payloads are JSON with a `schema` version, additive only; `Nats-Msg-Id` and `traceparent` are in the headers.',
    '',
    ...table(['Subject', 'Stream', 'Meaning', 'Produced by', 'Consumed by'], kinds.map(describeKind)),
    '',
    '## Services',
    '',
    ...table(
      ['Service', 'Consumes', 'Produces'],
      services.map((service) => [service, list(FLOW[service].consumes), list(FLOW[service].produces)]),
    ),
    '',
  ].join('\n');
}

/** Who tells whom, without what a service tells its own replicas. */
export function edges(): [from: FlowService, to: FlowService, kinds: SubjectKind[]][] {
  return services.flatMap((from) =>
    services
      .filter((to) => to !== from)
      .flatMap((to): [FlowService, FlowService, SubjectKind[]][] => {
        const shared = kinds.filter((kind) => produces(from, kind) && consumes(to, kind));
        return shared.length === 0 ? [] : [[from, to, shared]];
      }),
  );
}

function describeKind(kind: SubjectKind): string[] {
  const subject = [kind, ...SUBJECTS[kind].tokens.map((token) => `<${token}>`)].join('.');
  return [
    `\`${subject}\``,
    `\`${streamOf(kind)}\``,
    SUBJECTS[kind].summary,
    services.filter((service) => produces(service, kind)).join(', '),
    services.filter((service) => consumes(service, kind)).join(', '),
  ];
}

function produces(service: FlowService, kind: SubjectKind): boolean {
  return (FLOW[service].produces as readonly SubjectKind[]).includes(kind);
}

function consumes(service: FlowService, kind: SubjectKind): boolean {
  return (FLOW[service].consumes as readonly SubjectKind[]).includes(kind);
}

function list(members: readonly SubjectKind[]): string {
  return members.map((kind) => `\`${kind}\``).join(', ') || 'nothing';
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): string[] {
  const line = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`;
  return [line(head), line(head.map(() => '---')), ...rows.map(line)];
}

function nodeId(service: FlowService): string {
  return service.replaceAll('-', '_');
}
