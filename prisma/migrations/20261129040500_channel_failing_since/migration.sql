-- Since when the deliveries of a failing channel fail. Null: the channel is not failing, or a service of the release before wrote it.
ALTER TABLE notification_channels ADD COLUMN failing_since timestamptz;
