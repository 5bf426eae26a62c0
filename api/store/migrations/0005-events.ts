import type { Migration } from './migration.ts';

export const events: Migration = {
  number: 5,
  name: 'events',
  sql: `
-- The last event of each organization. Its row is locked from the numbering to the commit, so that numbers become visible in
-- their order and without gaps.
CREATE TABLE event_heads (
  organization_id uuid PRIMARY KEY REFERENCES organizations,
  sequence bigint NOT NULL,
  hash bytea NOT NULL
);

CREATE TABLE events (
  id uuid PRIMARY KEY,
  organization_id uuid NOT NULL REFERENCES organizations,
  sequence bigint NOT NULL,
  type text NOT NULL,
  outcome text NOT NULL CHECK (outcome IN ('SUCCESS', 'DENIED', 'FAILED')),
  occurred_at timestamptz(3) NOT NULL,
  subject_type text NOT NULL,
  subject_id uuid,
  subject_display text NOT NULL,
  database_id uuid,
  actor jsonb NOT NULL,
  actor_id text,
  ip text,
  user_agent text,
  request_id text,
  data jsonb NOT NULL,
  changes jsonb NOT NULL,
  previous_hash bytea NOT NULL,
  hash bytea NOT NULL,
  UNIQUE (organization_id, sequence)
);
CREATE INDEX events_by_type ON events (organization_id, type, sequence);
CREATE INDEX events_by_subject ON events (organization_id, subject_id, sequence);
CREATE INDEX events_by_actor ON events (organization_id, actor_id, sequence);

CREATE FUNCTION refuse_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION 'events are never changed';
END $$;
CREATE TRIGGER events_stay BEFORE UPDATE ON events FOR EACH ROW EXECUTE FUNCTION refuse_change();

-- Up to which event of an organization each of those who act on events has acted.
CREATE TABLE event_positions (
  consumer text NOT NULL,
  organization_id uuid NOT NULL REFERENCES organizations,
  sequence bigint NOT NULL,
  PRIMARY KEY (consumer, organization_id)
);

CREATE FUNCTION notify_event() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM pg_notify('ledgerhouse_event', NEW.organization_id::text);
  RETURN NULL;
END $$;
CREATE TRIGGER event_head_moved AFTER INSERT OR UPDATE ON event_heads
  FOR EACH ROW EXECUTE FUNCTION notify_event();
`,
};
