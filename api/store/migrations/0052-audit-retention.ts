import type { Migration } from './migration.ts';

export const auditRetention: Migration = {
  number: 52,
  name: 'audit-retention',
  sql: `
-- How long audit events are kept (api/model/audit-retention.ts). The worker goes by the events that say so; this is what people see.
ALTER TABLE organizations ADD COLUMN audit_retention_days integer NOT NULL DEFAULT 400
  CHECK (audit_retention_days BETWEEN 90 AND 2557);

-- The last event of each organization that was removed: the chain begins after it. retention_days: what was in force at that event.
-- mac: HMAC of the row with the key of key_version.
CREATE TABLE event_bases (
  organization_id uuid PRIMARY KEY REFERENCES organizations,
  sequence bigint NOT NULL CHECK (sequence > 0),
  hash bytea NOT NULL,
  retention_days integer NOT NULL,
  key_version text NOT NULL,
  mac bytea NOT NULL
);

CREATE FUNCTION advance_event_base() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF NEW.organization_id <> OLD.organization_id OR NEW.sequence <= OLD.sequence THEN
    RAISE EXCEPTION 'the base of events only moves on';
  END IF;
  RETURN NEW;
END $$;
CREATE TRIGGER event_bases_advance BEFORE UPDATE ON event_bases
  FOR EACH ROW EXECUTE FUNCTION advance_event_base();
CREATE TRIGGER event_bases_remain BEFORE DELETE OR TRUNCATE ON event_bases
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

-- Events leave in one way only: up to a base that was written in the same transaction or before, and none within the shortest retention.
CREATE FUNCTION refuse_removal() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF OLD.occurred_at > clock_timestamp() - interval '90 days' OR NOT EXISTS (
    SELECT FROM event_bases WHERE organization_id = OLD.organization_id AND sequence >= OLD.sequence
  ) THEN
    RAISE EXCEPTION 'events are never changed, and removed only when their retention is over';
  END IF;
  RETURN OLD;
END $$;
DROP TRIGGER events_remain ON events;
CREATE TRIGGER events_remain BEFORE DELETE ON events FOR EACH ROW EXECUTE FUNCTION refuse_removal();
CREATE TRIGGER events_are_never_emptied BEFORE TRUNCATE ON events FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

-- When databases began and ceased to run: billing asks for it however long ago it was. A trigger writes it, so that processes of the release
-- before do, too.
CREATE TABLE running_events (
  database_id uuid NOT NULL,
  sequence bigint NOT NULL,
  type text NOT NULL,
  occurred_at timestamptz(3) NOT NULL,
  PRIMARY KEY (database_id, sequence)
);
CREATE FUNCTION note_running() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO running_events (database_id, sequence, type, occurred_at)
    VALUES (NEW.database_id, NEW.sequence, NEW.type, NEW.occurred_at);
  RETURN NULL;
END $$;
CREATE TRIGGER running_noted AFTER INSERT ON events FOR EACH ROW
  WHEN (NEW.database_id IS NOT NULL AND NEW.type IN (
    'database.ready', 'database.restored', 'database.resumed', 'database.suspended',
    'database.delete_requested', 'database.deleted'
  )) EXECUTE FUNCTION note_running();
INSERT INTO running_events (database_id, sequence, type, occurred_at)
  SELECT database_id, sequence, type, occurred_at FROM events
  WHERE database_id IS NOT NULL AND type IN (
    'database.ready', 'database.restored', 'database.resumed', 'database.suspended',
    'database.delete_requested', 'database.deleted'
  );
DROP INDEX events_of_running;
`,
};
