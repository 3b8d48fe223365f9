-- CreateTable
CREATE TABLE "retired_strings" (
    "id" UUID NOT NULL DEFAULT gen_random_uuid(),
    "hash" BYTEA NOT NULL,
    "business_id" BIGINT NOT NULL,
    "credential_type" TEXT NOT NULL,
    "credential_id" TEXT NOT NULL,
    "limit_id" TEXT NOT NULL,
    "name" TEXT NOT NULL,
    "last_four" TEXT,
    "reason" TEXT NOT NULL,
    "retired_at" TIMESTAMPTZ(3) NOT NULL DEFAULT clock_timestamp(),
    "calls" BIGINT NOT NULL DEFAULT 0,
    "last_call_at" TIMESTAMPTZ(3),
    "addresses" TEXT[] DEFAULT ARRAY[]::TEXT[],

    CONSTRAINT "retired_strings_pkey" PRIMARY KEY ("id")
);

-- CreateIndex
CREATE UNIQUE INDEX "retired_strings_hash_key" ON "retired_strings"("hash");

-- CreateIndex
CREATE INDEX "retired_strings_business_id_idx" ON "retired_strings"("business_id");

-- CreateIndex
CREATE INDEX "retired_strings_retired_at_idx" ON "retired_strings"("retired_at");
