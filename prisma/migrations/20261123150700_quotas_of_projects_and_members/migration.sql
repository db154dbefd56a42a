-- Null: the default (prisma/sql/quotas.sql).
ALTER TABLE workspace_quotas
  ADD COLUMN projects bigint CHECK (projects >= 0),
  ADD COLUMN members bigint CHECK (members >= 0);
