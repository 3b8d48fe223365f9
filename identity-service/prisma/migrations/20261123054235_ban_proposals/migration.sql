-- CreateTable
CREATE TABLE "ban_proposals" (
    "id" TEXT NOT NULL,
    "business_id" BIGINT NOT NULL,
    "is_ban" BOOLEAN NOT NULL,
    "reason" TEXT NOT NULL,
    "proposed_by" TEXT NOT NULL,
    "proposed_at" TIMESTAMPTZ(3) NOT NULL DEFAULT clock_timestamp(),
    "expires_at" TIMESTAMPTZ(3) NOT NULL,
    "outcome" TEXT,
    "decided_by" TEXT,
    "decided_at" TIMESTAMPTZ(3),

    CONSTRAINT "ban_proposals_pkey" PRIMARY KEY ("id")
);

-- CreateIndex
CREATE INDEX "ban_proposals_proposed_at_idx" ON "ban_proposals"("proposed_at");

-- One waits per business.
CREATE UNIQUE INDEX "ban_proposals_business_id_waiting_key" ON "ban_proposals"("business_id") WHERE "outcome" IS NULL;
