-- CreateTable
CREATE TABLE "logos" (
    "business_id" BIGINT NOT NULL,
    "digest" TEXT NOT NULL,
    "type" TEXT NOT NULL,
    "content" BYTEA NOT NULL,
    "stored_at" TIMESTAMPTZ(3) NOT NULL DEFAULT clock_timestamp(),

    CONSTRAINT "logos_pkey" PRIMARY KEY ("business_id","digest")
);

-- CreateIndex
CREATE INDEX "logos_digest_idx" ON "logos"("digest");
