-- Events that the expression of a channel could not be evaluated for, and so were not sent: since the filters were set.
-- Apart from the channel, whose rows are read again when they change.
CREATE TABLE channel_expression_errors (
  channel_id uuid PRIMARY KEY REFERENCES notification_channels (id) ON DELETE CASCADE,
  count bigint NOT NULL,
  last_error text NOT NULL,
  last_at timestamptz(6) NOT NULL
);
