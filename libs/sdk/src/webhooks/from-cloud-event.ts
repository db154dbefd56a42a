// SPDX-License-Identifier: Apache-2.0
interface CloudEvent {
  readonly specversion: string;
  readonly id: unknown;
  readonly type: unknown;
  readonly time?: unknown;
  readonly apiversion?: unknown;
  readonly projectid?: unknown;
  readonly istestmessage?: unknown;
  readonly chainsequence?: unknown;
  readonly ishistorical?: unknown;
  readonly data?: unknown;
}

/** An event as the API writes it, also of a channel with `format: "cloudevents"`. */
export function fromCloudEvent(body: unknown): unknown {
  if (typeof body !== 'object' || body === null || !('specversion' in body)) return body;
  const event = body as CloudEvent;
  return {
    event_id: event.id,
    type: event.type,
    api_version: event.apiversion,
    created_at: event.time,
    is_test_message: event.istestmessage,
    project_id: event.projectid,
    sequence: typeof event.chainsequence === 'string' ? Number(event.chainsequence) : null,
    ...(event.ishistorical === true && { is_historical: true }),
    data: event.data,
  };
}
