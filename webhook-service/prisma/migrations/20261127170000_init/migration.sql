-- CreateSchema
CREATE SCHEMA IF NOT EXISTS "public";

-- CreateEnum
CREATE TYPE "delivery_status" AS ENUM ('pending', 'delivered', 'failed', 'skipped', 'withdrawn');

-- CreateTable
CREATE TABLE "endpoints" (
    "id" TEXT NOT NULL,
    "business_id" BIGINT NOT NULL,
    "application_id" TEXT NOT NULL,
    "url" TEXT NOT NULL,
    "description" TEXT NOT NULL,
    "events" TEXT[],
    "sealed_secrets" BYTEA NOT NULL,
    "enabled" BOOLEAN NOT NULL DEFAULT true,
    "disabled_reason" TEXT,
    "disabled_at" TIMESTAMPTZ(3),
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT clock_timestamp(),
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT clock_timestamp(),
    "failing_since" TIMESTAMPTZ(3),
    "last_failure_at" TIMESTAMPTZ(3),
    "last_success_at" TIMESTAMPTZ(3),
    "consecutive_outages" INTEGER NOT NULL DEFAULT 0,
    "paused_until" TIMESTAMPTZ(3),
    "turn" TEXT,
    "warned_step" INTEGER NOT NULL DEFAULT 0,
    "warned_since" TIMESTAMPTZ(3),
    "warn_after" TIMESTAMPTZ(3),
    "checking_until" TIMESTAMPTZ(3),
    "made_by" TEXT,

    CONSTRAINT "endpoints_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "feed_progress" (
    "business_id" BIGINT NOT NULL,
    "unique_id" TEXT NOT NULL,
    "sequence" BIGINT NOT NULL,
    "last_by_type" JSONB NOT NULL,

    CONSTRAINT "feed_progress_pkey" PRIMARY KEY ("business_id")
);

-- CreateTable
CREATE TABLE "messages" (
    "event_id" TEXT NOT NULL,
    "previous" BIGINT NOT NULL,
    "business_id" BIGINT NOT NULL,
    "type" TEXT NOT NULL,
    "sequence" BIGINT NOT NULL,
    "body" TEXT NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT clock_timestamp(),
    "traceparent" TEXT,

    CONSTRAINT "messages_pkey" PRIMARY KEY ("event_id","previous")
);

-- CreateTable
CREATE TABLE "deliveries" (
    "id" TEXT NOT NULL,
    "endpoint_id" TEXT NOT NULL,
    "event_id" TEXT NOT NULL,
    "previous" BIGINT NOT NULL,
    "status" "delivery_status" NOT NULL,
    "attempts" INTEGER NOT NULL DEFAULT 0,
    "round" INTEGER NOT NULL DEFAULT 0,
    "next_attempt_at" TIMESTAMPTZ(3),
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT clock_timestamp(),
    "finished_at" TIMESTAMPTZ(3),
    "recovery_id" TEXT,

    CONSTRAINT "deliveries_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "recoveries" (
    "id" TEXT NOT NULL,
    "endpoint_id" TEXT NOT NULL,
    "since" TIMESTAMPTZ(3) NOT NULL,
    "total" INTEGER NOT NULL,
    "requeued" INTEGER NOT NULL DEFAULT 0,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT clock_timestamp(),

    CONSTRAINT "recoveries_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "attempts" (
    "delivery_id" TEXT NOT NULL,
    "number" INTEGER NOT NULL,
    "started_at" TIMESTAMPTZ(3) NOT NULL,
    "duration_ms" INTEGER NOT NULL,
    "outcome" TEXT NOT NULL,
    "status" INTEGER,
    "response_start" TEXT NOT NULL,
    "error_code" TEXT,

    CONSTRAINT "attempts_pkey" PRIMARY KEY ("delivery_id","number")
);

-- CreateIndex
CREATE INDEX "endpoints_business_id_application_id_idx" ON "endpoints"("business_id", "application_id");

-- CreateIndex
CREATE INDEX "messages_created_at_idx" ON "messages"("created_at");

-- CreateIndex
CREATE INDEX "deliveries_endpoint_id_created_at_id_idx" ON "deliveries"("endpoint_id", "created_at" DESC, "id");

-- CreateIndex
CREATE INDEX "deliveries_event_id_previous_idx" ON "deliveries"("event_id", "previous");

-- CreateIndex
CREATE INDEX "deliveries_created_at_idx" ON "deliveries"("created_at");

-- CreateIndex
CREATE UNIQUE INDEX "deliveries_endpoint_id_event_id_key" ON "deliveries"("endpoint_id", "event_id");

-- CreateIndex
CREATE INDEX "recoveries_endpoint_id_created_at_idx" ON "recoveries"("endpoint_id", "created_at" DESC);

-- AddForeignKey
ALTER TABLE "deliveries" ADD CONSTRAINT "deliveries_endpoint_id_fkey" FOREIGN KEY ("endpoint_id") REFERENCES "endpoints"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "deliveries" ADD CONSTRAINT "deliveries_event_id_previous_fkey" FOREIGN KEY ("event_id", "previous") REFERENCES "messages"("event_id", "previous") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "recoveries" ADD CONSTRAINT "recoveries_endpoint_id_fkey" FOREIGN KEY ("endpoint_id") REFERENCES "endpoints"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "attempts" ADD CONSTRAINT "attempts_delivery_id_fkey" FOREIGN KEY ("delivery_id") REFERENCES "deliveries"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- Written by hand: due deliveries, without the rows that are finished.
CREATE INDEX "deliveries_due" ON "deliveries"("endpoint_id", "next_attempt_at") WHERE "status" = 'pending';

-- Deliveries that a recovery has still to send. It becomes empty.
CREATE INDEX "deliveries_unsent" ON "deliveries"("recovery_id") WHERE "recovery_id" IS NOT NULL AND "status" = 'pending' AND "round" = 0;

CREATE INDEX "deliveries_recoverable" ON "deliveries"("endpoint_id", "created_at" DESC, "id") WHERE "status" IN ('failed', 'skipped', 'withdrawn');

-- Failing endpoints are few.
CREATE INDEX "endpoints_failing" ON "endpoints"("id") WHERE "failing_since" IS NOT NULL OR NOT "enabled";
