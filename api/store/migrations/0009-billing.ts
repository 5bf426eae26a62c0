import type { Migration } from './migration.ts';

export const billing: Migration = {
  number: 9,
  name: 'billing',
  sql: `
-- What is known of an organization at the provider of payments. A row comes with the first checkout.
CREATE TABLE billing_accounts (
  organization_id uuid PRIMARY KEY REFERENCES organizations,
  status text NOT NULL DEFAULT 'SETUP_REQUIRED'
    CHECK (status IN ('SETUP_REQUIRED', 'READY', 'PAST_DUE', 'SUSPENDED')),
  customer_id text UNIQUE,
  payment_method jsonb,
  subscription_id text,
  -- How many subscriptions and checkouts there were: their number is part of the key that makes each of them once.
  subscriptions integer NOT NULL DEFAULT 0,
  checkouts integer NOT NULL DEFAULT 0,
  checkout_id text,
  checkout_url text,
  checkout_return_url text,
  checkout_expires_at timestamptz(3),
  -- In millionths of the currency's unit.
  spend_limit_micros bigint CHECK (spend_limit_micros > 0),
  -- The highest part of the limit that was told of, and in which month.
  told_percent integer NOT NULL DEFAULT 0,
  told_month timestamptz(3),
  version integer NOT NULL DEFAULT 1,
  looked_at timestamptz(3),
  updated_at timestamptz(3) NOT NULL DEFAULT clock_timestamp()
);

-- Events of the provider that were acted on, so that none is twice.
CREATE TABLE billing_events (
  id text PRIMARY KEY,
  organization_id uuid NOT NULL REFERENCES organizations,
  type text NOT NULL,
  received_at timestamptz(3) NOT NULL DEFAULT clock_timestamp()
);
CREATE INDEX billing_events_by_age ON billing_events (received_at);

-- Databases that were asked for before billing was set up.
CREATE TABLE saved_creates (
  id uuid PRIMARY KEY,
  organization_id uuid NOT NULL REFERENCES organizations,
  name text NOT NULL,
  request jsonb NOT NULL,
  author jsonb NOT NULL,
  status text NOT NULL CHECK (status IN ('WAITING', 'CREATED', 'FAILED')),
  database_id uuid REFERENCES databases,
  error jsonb,
  lease_until timestamptz(3),
  created_at timestamptz(3) NOT NULL DEFAULT clock_timestamp(),
  expires_at timestamptz(3) NOT NULL,
  ended_at timestamptz(3),
  CHECK ((status = 'WAITING') = (ended_at IS NULL)),
  CHECK ((status = 'CREATED') = (database_id IS NOT NULL))
);
CREATE UNIQUE INDEX saved_creates_waiting ON saved_creates (organization_id, name) WHERE status = 'WAITING';
CREATE INDEX saved_creates_by_creation ON saved_creates (organization_id, created_at);

-- Hours whose use is in billing_usage. Whoever writes the hour's row writes its use.
CREATE TABLE billing_hours (
  hour timestamptz(3) PRIMARY KEY CHECK (hour = date_trunc('hour', hour, 'UTC')),
  metered_at timestamptz(3) NOT NULL DEFAULT clock_timestamp()
);

CREATE TABLE billing_usage (
  database_id uuid NOT NULL REFERENCES databases,
  hour timestamptz(3) NOT NULL REFERENCES billing_hours,
  meter text NOT NULL CHECK (meter IN ('compute', 'storage')),
  organization_id uuid NOT NULL REFERENCES organizations,
  seconds integer NOT NULL CHECK (seconds BETWEEN 1 AND 3600),
  -- What it was that ran.
  cluster_configuration text NOT NULL,
  cluster_size text NOT NULL,
  storage_tier text NOT NULL,
  storage_gb integer NOT NULL,
  -- Null where the database has no price.
  currency text,
  amount_micros bigint CHECK (amount_micros >= 0),
  claimed_until timestamptz(3),
  -- Since when it may have reached the provider without our knowing.
  uncertain_since timestamptz(3),
  sent_at timestamptz(3),
  refusal text,
  PRIMARY KEY (database_id, hour, meter),
  CHECK ((currency IS NULL) = (amount_micros IS NULL))
);
CREATE INDEX billing_usage_by_month ON billing_usage (organization_id, hour);
CREATE INDEX billing_usage_unsent ON billing_usage (hour) WHERE sent_at IS NULL;

-- Databases that stand still because their organization does not pay, and will go on when it does.
CREATE TABLE billing_suspensions (
  database_id uuid PRIMARY KEY REFERENCES databases,
  organization_id uuid NOT NULL REFERENCES organizations,
  since timestamptz(3) NOT NULL DEFAULT clock_timestamp()
);

-- When databases began and ceased to run.
CREATE INDEX events_of_running ON events (database_id, sequence) WHERE type IN (
  'database.ready', 'database.restored', 'database.resumed', 'database.suspended',
  'database.delete_requested', 'database.deleted'
);
`,
};
