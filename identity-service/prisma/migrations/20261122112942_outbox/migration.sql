-- CreateTable
CREATE TABLE "outbox_events" (
    "id" TEXT NOT NULL,
    "position" BIGSERIAL NOT NULL,
    "business_id" BIGINT NOT NULL,
    "type" TEXT NOT NULL,
    "application_id" TEXT,
    "data" JSON NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT clock_timestamp(),

    CONSTRAINT "outbox_events_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "api_key_notices" (
    "api_key_id" TEXT NOT NULL,
    "days" INTEGER NOT NULL,
    "expires_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "api_key_notices_pkey" PRIMARY KEY ("api_key_id","expires_at","days")
);

-- CreateIndex
CREATE UNIQUE INDEX "outbox_events_position_key" ON "outbox_events"("position");

-- CreateIndex
CREATE INDEX "api_key_notices_expires_at_idx" ON "api_key_notices"("expires_at");

-- CreateIndex
CREATE INDEX "api_keys_expires_at_idx" ON "api_keys"("expires_at");

-- Keys that have expired already are no news.
INSERT INTO "api_key_notices" ("api_key_id", "expires_at", "days")
SELECT "id", "expires_at", 0 FROM "api_keys" WHERE "expires_at" <= clock_timestamp();
