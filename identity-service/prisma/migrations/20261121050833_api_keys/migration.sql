-- CreateSchema
CREATE SCHEMA IF NOT EXISTS "public";

-- CreateEnum
CREATE TYPE "api_key_type" AS ENUM ('secret', 'restricted');

-- CreateTable
CREATE TABLE "api_keys" (
    "id" TEXT NOT NULL,
    "business_id" BIGINT NOT NULL,
    "name" TEXT NOT NULL,
    "description" TEXT NOT NULL,
    "key_type" "api_key_type" NOT NULL,
    "scopes" TEXT[],
    "secret_hash" BYTEA NOT NULL,
    "last_four" TEXT NOT NULL,
    "request_limit" INTEGER NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT clock_timestamp(),
    "expires_at" TIMESTAMPTZ(3),
    "rotated_at" TIMESTAMPTZ(3),
    "last_used_at" TIMESTAMPTZ(3),
    "last_used_ip" TEXT,

    CONSTRAINT "api_keys_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "credential_generations" (
    "business_id" BIGINT NOT NULL,
    "generation" BIGINT NOT NULL,
    "propagated" BIGINT NOT NULL,
    "raised_at" TIMESTAMPTZ(3) NOT NULL DEFAULT clock_timestamp(),

    CONSTRAINT "credential_generations_pkey" PRIMARY KEY ("business_id")
);

-- CreateTable
CREATE TABLE "audit_events" (
    "id" BIGSERIAL NOT NULL,
    "at" TIMESTAMPTZ(3) NOT NULL DEFAULT clock_timestamp(),
    "business_id" BIGINT NOT NULL,
    "actor_kind" TEXT NOT NULL,
    "actor_id" TEXT NOT NULL,
    "client_ip" TEXT,
    "request_id" TEXT NOT NULL,
    "action" TEXT NOT NULL,
    "subject_id" TEXT NOT NULL,
    "details" JSONB NOT NULL,

    CONSTRAINT "audit_events_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "usage_counts" (
    "credential_id" TEXT NOT NULL,
    "minute" TIMESTAMPTZ(0) NOT NULL,
    "credential_type" TEXT NOT NULL,
    "business_id" BIGINT NOT NULL,
    "count_2xx" BIGINT NOT NULL,
    "count_4xx" BIGINT NOT NULL,
    "count_429" BIGINT NOT NULL,
    "count_5xx" BIGINT NOT NULL,

    CONSTRAINT "usage_counts_pkey" PRIMARY KEY ("credential_id","minute")
);

-- CreateTable
CREATE TABLE "usage_batches" (
    "batch_id" UUID NOT NULL,
    "received_at" TIMESTAMPTZ(3) NOT NULL DEFAULT clock_timestamp(),

    CONSTRAINT "usage_batches_pkey" PRIMARY KEY ("batch_id")
);

-- CreateIndex
CREATE UNIQUE INDEX "api_keys_secret_hash_key" ON "api_keys"("secret_hash");

-- CreateIndex
CREATE INDEX "api_keys_business_id_created_at_idx" ON "api_keys"("business_id", "created_at");

-- CreateIndex
CREATE INDEX "credential_generations_raised_at_idx" ON "credential_generations"("raised_at");

-- CreateIndex
CREATE INDEX "audit_events_business_id_id_idx" ON "audit_events"("business_id", "id");

-- CreateIndex
CREATE INDEX "usage_counts_minute_idx" ON "usage_counts"("minute");

-- CreateIndex
CREATE INDEX "usage_batches_received_at_idx" ON "usage_batches"("received_at");

-- Businesses whose gateways have not been told yet: read every second, almost always empty.
CREATE INDEX "credential_generations_pending_idx" ON "credential_generations"("business_id") WHERE "propagated" < "generation";

-- last_used_at changes every few seconds; room on the page keeps such updates out of the indexes.
ALTER TABLE "api_keys" SET (fillfactor = 80);

-- The audit log only grows.
CREATE FUNCTION "refuse_audit_change"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION 'audit_events is append-only';
END
$$;

CREATE TRIGGER "audit_events_append_only" BEFORE UPDATE OR DELETE OR TRUNCATE ON "audit_events"
  FOR EACH STATEMENT EXECUTE FUNCTION "refuse_audit_change"();
