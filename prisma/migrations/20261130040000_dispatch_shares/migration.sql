-- The share of the event's project (`share_of`): the scheduler takes from each in turn. -1: queued by an earlier release, which
-- goes first.
ALTER TABLE undispatched_events ADD COLUMN share integer NOT NULL DEFAULT -1;
CREATE INDEX undispatched_events_share_idx ON undispatched_events (share, event_row_id);
