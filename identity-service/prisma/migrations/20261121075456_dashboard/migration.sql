-- AlterTable
ALTER TABLE "usage_counts" ADD COLUMN     "limit_id" TEXT NOT NULL DEFAULT '';

-- CreateTable
CREATE TABLE "usage_addresses" (
    "limit_id" TEXT NOT NULL,
    "hour" TIMESTAMPTZ(0) NOT NULL,
    "address" TEXT NOT NULL,
    "business_id" BIGINT NOT NULL,
    "requests" BIGINT NOT NULL,
    "successes" BIGINT NOT NULL,
    "last_success_at" TIMESTAMPTZ(3),

    CONSTRAINT "usage_addresses_pkey" PRIMARY KEY ("limit_id","hour","address")
);

-- CreateTable
CREATE TABLE "usage_endpoints" (
    "limit_id" TEXT NOT NULL,
    "hour" TIMESTAMPTZ(0) NOT NULL,
    "method" TEXT NOT NULL,
    "route" TEXT NOT NULL,
    "business_id" BIGINT NOT NULL,
    "requests" BIGINT NOT NULL,

    CONSTRAINT "usage_endpoints_pkey" PRIMARY KEY ("limit_id","hour","method","route")
);

-- CreateTable
CREATE TABLE "scope_uses" (
    "limit_id" TEXT NOT NULL,
    "scope" TEXT NOT NULL,
    "last_used_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "scope_uses_pkey" PRIMARY KEY ("limit_id","scope")
);

-- CreateTable
CREATE TABLE "limit_observations" (
    "limit_id" TEXT NOT NULL,
    "business_id" BIGINT NOT NULL,
    "used" INTEGER NOT NULL,
    "observed_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "limit_observations_pkey" PRIMARY KEY ("limit_id")
);

-- CreateTable
CREATE TABLE "request_records" (
    "id" TEXT NOT NULL,
    "at" TIMESTAMPTZ(3) NOT NULL,
    "received_at" TIMESTAMPTZ(3) NOT NULL DEFAULT clock_timestamp(),
    "business_id" BIGINT,
    "method" TEXT NOT NULL,
    "path" TEXT NOT NULL,
    "route" TEXT NOT NULL,
    "status" INTEGER NOT NULL,
    "refusal" TEXT,
    "credential_type" TEXT,
    "credential_id" TEXT,
    "limit_id" TEXT,
    "client_ip" TEXT NOT NULL,
    "required_scope" TEXT,

    CONSTRAINT "request_records_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "business_freezes" (
    "business_id" BIGINT NOT NULL,
    "frozen_at" TIMESTAMPTZ(3) NOT NULL DEFAULT clock_timestamp(),
    "person_id" TEXT NOT NULL,
    "reason" TEXT NOT NULL,

    CONSTRAINT "business_freezes_pkey" PRIMARY KEY ("business_id")
);

-- CreateTable
CREATE TABLE "invitations" (
    "id" TEXT NOT NULL,
    "token_hash" BYTEA NOT NULL,
    "business_id" BIGINT NOT NULL,
    "email" TEXT NOT NULL,
    "role" "membership_role" NOT NULL,
    "invited_by" TEXT NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT clock_timestamp(),
    "expires_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "invitations_pkey" PRIMARY KEY ("id")
);

-- CreateIndex
CREATE INDEX "usage_addresses_hour_idx" ON "usage_addresses"("hour");

-- CreateIndex
CREATE INDEX "usage_endpoints_hour_idx" ON "usage_endpoints"("hour");

-- CreateIndex
CREATE INDEX "limit_observations_observed_at_idx" ON "limit_observations"("observed_at");

-- CreateIndex
CREATE INDEX "request_records_business_id_at_id_idx" ON "request_records"("business_id", "at" DESC, "id");

-- CreateIndex
CREATE INDEX "request_records_received_at_idx" ON "request_records"("received_at");

-- CreateIndex
CREATE UNIQUE INDEX "invitations_token_hash_key" ON "invitations"("token_hash");

-- CreateIndex
CREATE INDEX "invitations_expires_at_idx" ON "invitations"("expires_at");

-- CreateIndex
CREATE UNIQUE INDEX "invitations_business_id_email_key" ON "invitations"("business_id", "email");

-- CreateIndex
CREATE INDEX "usage_counts_business_id_minute_idx" ON "usage_counts"("business_id", "minute");
