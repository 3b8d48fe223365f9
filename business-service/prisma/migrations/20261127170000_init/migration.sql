-- CreateSchema
CREATE SCHEMA IF NOT EXISTS "public";

-- CreateEnum
CREATE TYPE "verification_status" AS ENUM ('unverified', 'pending', 'verified', 'rejected');

-- CreateEnum
CREATE TYPE "order_status" AS ENUM ('pending', 'paid', 'fulfilled', 'cancelled');

-- CreateTable
CREATE TABLE "businesses" (
    "id" SERIAL NOT NULL,
    "unique_id" TEXT NOT NULL,
    "account_holder" TEXT NOT NULL,
    "logo" TEXT NOT NULL,
    "username" TEXT NOT NULL,
    "username_changeable_at" TIMESTAMPTZ(3),
    "creation_key" TEXT,
    "is_banned" BOOLEAN NOT NULL DEFAULT false,
    "ban_sequence" BIGINT,
    "verification_status" "verification_status" NOT NULL DEFAULT 'unverified',
    "legal_name" TEXT,
    "registration_number" TEXT,
    "country" TEXT,
    "submitted_at" TIMESTAMPTZ(3),
    "decided_at" TIMESTAMPTZ(3),
    "rejection_reason" TEXT,
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "name_keys" TEXT[] DEFAULT ARRAY[]::TEXT[],

    CONSTRAINT "businesses_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "usernames" (
    "username" TEXT NOT NULL,
    "business_id" INTEGER NOT NULL,

    CONSTRAINT "usernames_pkey" PRIMARY KEY ("username")
);

-- CreateTable
CREATE TABLE "business_counters" (
    "business_id" INTEGER NOT NULL,
    "last_event_sequence" BIGINT NOT NULL DEFAULT 0,
    "last_order_number" BIGINT NOT NULL DEFAULT 1000,
    "changed_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "business_counters_pkey" PRIMARY KEY ("business_id")
);

-- CreateTable
CREATE TABLE "orders" (
    "id" TEXT NOT NULL,
    "business_id" INTEGER NOT NULL,
    "number" BIGINT NOT NULL,
    "status" "order_status" NOT NULL,
    "currency" CHAR(3) NOT NULL,
    "line_items" JSONB NOT NULL,
    "total" BIGINT NOT NULL,
    "customer" JSONB NOT NULL,
    "metadata" JSONB NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "updated_at" TIMESTAMPTZ(3) NOT NULL,
    "paid_at" TIMESTAMPTZ(3),
    "fulfilled_at" TIMESTAMPTZ(3),
    "cancelled_at" TIMESTAMPTZ(3),

    CONSTRAINT "orders_pkey" PRIMARY KEY ("business_id","id")
);

-- CreateTable
CREATE TABLE "events" (
    "business_id" INTEGER NOT NULL,
    "sequence" BIGINT NOT NULL,
    "id" TEXT NOT NULL,
    "type" TEXT NOT NULL,
    "payload" JSON NOT NULL,
    "application_id" TEXT,
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "traceparent" TEXT,

    CONSTRAINT "events_pkey" PRIMARY KEY ("business_id","sequence")
);

-- CreateTable
CREATE TABLE "idempotency_keys" (
    "business_id" INTEGER NOT NULL,
    "key" TEXT NOT NULL,
    "fingerprint" TEXT NOT NULL,
    "response" JSON NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "idempotency_keys_pkey" PRIMARY KEY ("business_id","key")
);

-- CreateIndex
CREATE UNIQUE INDEX "businesses_unique_id_key" ON "businesses"("unique_id");

-- CreateIndex
CREATE UNIQUE INDEX "businesses_username_key" ON "businesses"("username");

-- CreateIndex
CREATE UNIQUE INDEX "businesses_creation_key_key" ON "businesses"("creation_key");

-- CreateIndex
CREATE UNIQUE INDEX "businesses_ban_sequence_key" ON "businesses"("ban_sequence");

-- CreateIndex
CREATE INDEX "businesses_name_keys_idx" ON "businesses" USING GIN ("name_keys");

-- CreateIndex
CREATE INDEX "businesses_verification_status_submitted_at_idx" ON "businesses"("verification_status", "submitted_at");

-- CreateIndex
CREATE INDEX "usernames_business_id_idx" ON "usernames"("business_id");

-- CreateIndex
CREATE INDEX "business_counters_changed_at_business_id_idx" ON "business_counters"("changed_at", "business_id");

-- CreateIndex
CREATE INDEX "orders_business_id_status_number_idx" ON "orders"("business_id", "status", "number");

-- CreateIndex
CREATE INDEX "orders_business_id_created_at_idx" ON "orders"("business_id", "created_at");

-- CreateIndex
CREATE UNIQUE INDEX "orders_business_id_number_key" ON "orders"("business_id", "number");

-- CreateIndex
CREATE INDEX "events_business_id_type_sequence_idx" ON "events"("business_id", "type", "sequence");

-- CreateIndex
CREATE INDEX "events_business_id_created_at_sequence_idx" ON "events"("business_id", "created_at", "sequence");

-- CreateIndex
CREATE UNIQUE INDEX "events_business_id_id_key" ON "events"("business_id", "id");

-- CreateIndex
CREATE INDEX "idempotency_keys_created_at_idx" ON "idempotency_keys"("created_at");

-- AddForeignKey
ALTER TABLE "usernames" ADD CONSTRAINT "usernames_business_id_fkey" FOREIGN KEY ("business_id") REFERENCES "businesses"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "business_counters" ADD CONSTRAINT "business_counters_business_id_fkey" FOREIGN KEY ("business_id") REFERENCES "businesses"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "orders" ADD CONSTRAINT "orders_business_id_fkey" FOREIGN KEY ("business_id") REFERENCES "businesses"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "events" ADD CONSTRAINT "events_business_id_fkey" FOREIGN KEY ("business_id") REFERENCES "businesses"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- Written by hand. Events are append-only: no subscriber reads another text later.
CREATE FUNCTION refuse_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION '% is append-only', TG_TABLE_NAME;
END;
$$;

CREATE TRIGGER events_append_only BEFORE UPDATE OR DELETE ON "events"
  FOR EACH ROW EXECUTE FUNCTION refuse_change();

CREATE FUNCTION set_changed_at() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  NEW.changed_at := clock_timestamp();
  RETURN NEW;
END;
$$;

CREATE TRIGGER business_counters_changed_at BEFORE UPDATE OF last_event_sequence ON "business_counters"
  FOR EACH ROW EXECUTE FUNCTION set_changed_at();

-- Every way to ban counts. The lock is held until the commit: a change that is committed later has a greater sequence.
CREATE SEQUENCE "business_ban_sequence";

CREATE FUNCTION set_ban_sequence() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM pg_advisory_xact_lock(hashtextextended('bans of businesses', 0));
  NEW.ban_sequence := nextval('business_ban_sequence');
  RETURN NEW;
END;
$$;

CREATE TRIGGER businesses_banned BEFORE INSERT ON "businesses"
  FOR EACH ROW WHEN (NEW.is_banned) EXECUTE FUNCTION set_ban_sequence();

CREATE TRIGGER businesses_ban_changed BEFORE UPDATE OF is_banned ON "businesses"
  FOR EACH ROW WHEN (OLD.is_banned IS DISTINCT FROM NEW.is_banned) EXECUTE FUNCTION set_ban_sequence();

-- One table and its key decide, also between a business that gives a username up and one that takes it at the same moment.
CREATE FUNCTION claim_username() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO usernames AS taken (username, business_id) VALUES (NEW.username, NEW.id)
    ON CONFLICT (username) DO UPDATE SET business_id = taken.business_id WHERE taken.business_id = NEW.id;
  IF NOT FOUND THEN
    RAISE unique_violation USING MESSAGE = 'the username belongs to another business', CONSTRAINT = 'usernames_pkey';
  END IF;
  RETURN NULL;
END;
$$;

CREATE TRIGGER businesses_named AFTER INSERT ON "businesses"
  FOR EACH ROW EXECUTE FUNCTION claim_username();

CREATE TRIGGER businesses_renamed AFTER UPDATE OF username ON "businesses"
  FOR EACH ROW WHEN (OLD.username IS DISTINCT FROM NEW.username) EXECUTE FUNCTION claim_username();
