-- When a failing channel is probed next; whoever moves it forward makes the probe.
ALTER TABLE notification_channels ADD COLUMN probe_at timestamptz;
CREATE INDEX notification_channels_failing_idx ON notification_channels (probe_at) WHERE status = 'failing';

-- What a channel still has to get, in event order (ids are UUIDv7).
CREATE INDEX deliveries_open_idx ON deliveries (channel_id, status, id) WHERE status IN ('pending', 'held');
