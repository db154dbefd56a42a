// SPDX-License-Identifier: Apache-2.0
import { randomUUID } from 'node:crypto';
import { EVENTS, uuidv5, type EventEnvelope, type EventType } from '@chainwatch/events';

/** An event of the given type with `is_test_message` true, `sequence` 0 and made-up data. */
export function buildTestEvent(projectId: string, type: EventType): EventEnvelope {
  const at = new Date().toISOString();
  return {
    event_id: uuidv5(`${projectId}|test|${randomUUID()}`),
    type,
    api_version: 'v1',
    created_at: at,
    is_test_message: true,
    project_id: projectId,
    sequence: 0,
    data: EVENTS[type].example({ at, id: randomUUID }),
  } as EventEnvelope;
}
