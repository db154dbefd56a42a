-- Kinds of channels are the registry's (libs/channels): the API lets no other one in, and the notifier leaves those of a
-- newer release alone.
ALTER TABLE notification_channels DROP CONSTRAINT notification_channels_kind_check;
