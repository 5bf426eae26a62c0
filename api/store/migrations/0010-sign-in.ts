import type { Migration } from './migration.ts';

export const signIn: Migration = {
  number: 10,
  name: 'sign-in',
  sql: `
-- Sessions of everybody now, also those without a browser. No user: the local administrator.
ALTER TABLE administrator_sessions RENAME TO sessions;
ALTER INDEX administrator_sessions_by_expiry RENAME TO sessions_by_expiry;
ALTER TABLE sessions
  ADD COLUMN kind text NOT NULL DEFAULT 'browser' CHECK (kind IN ('browser', 'device')),
  ADD COLUMN user_id uuid REFERENCES users,
  ADD COLUMN last_used_at timestamptz(3) NOT NULL DEFAULT clock_timestamp(),
  ALTER COLUMN token_hash DROP NOT NULL,
  ALTER COLUMN csrf_hash DROP NOT NULL,
  ADD CHECK ((token_hash IS NOT NULL) = (kind = 'browser')),
  ADD CHECK ((csrf_hash IS NOT NULL) = (kind = 'browser'));
CREATE INDEX sessions_by_user ON sessions (user_id, created_at, id);

-- What a device is told to ask for again and again, and the code that its user types on a page (RFC 8628).
CREATE TABLE device_requests (
  device_code_hash bytea PRIMARY KEY CHECK (octet_length(device_code_hash) = 32),
  user_code text NOT NULL UNIQUE,
  ip text,
  user_agent text,
  created_at timestamptz(3) NOT NULL DEFAULT clock_timestamp(),
  expires_at timestamptz(3) NOT NULL,
  polled_at timestamptz(3),
  interval_seconds integer NOT NULL,
  decision text CHECK (decision IN ('approved', 'denied')),
  user_id uuid REFERENCES users
);
CREATE INDEX device_requests_by_expiry ON device_requests (expires_at);

-- Of a session of a device. All of them are its family.
CREATE TABLE access_tokens (
  token_hash bytea PRIMARY KEY CHECK (octet_length(token_hash) = 32),
  session_id uuid NOT NULL REFERENCES sessions ON DELETE CASCADE,
  expires_at timestamptz(3) NOT NULL
);
CREATE INDEX access_tokens_by_session ON access_tokens (session_id);
CREATE INDEX access_tokens_by_expiry ON access_tokens (expires_at);

CREATE TABLE refresh_tokens (
  token_hash bytea PRIMARY KEY CHECK (octet_length(token_hash) = 32),
  session_id uuid NOT NULL REFERENCES sessions ON DELETE CASCADE,
  expires_at timestamptz(3) NOT NULL,
  -- Another has taken its place. Whoever sends it again has it from somewhere else.
  used_at timestamptz(3)
);
CREATE INDEX refresh_tokens_by_session ON refresh_tokens (session_id);
CREATE INDEX refresh_tokens_by_expiry ON refresh_tokens (expires_at);
`,
};
