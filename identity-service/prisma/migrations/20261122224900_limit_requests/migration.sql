-- CreateTable
CREATE TABLE "limit_requests" (
    "id" TEXT NOT NULL,
    "business_id" BIGINT NOT NULL,
    "kind" TEXT NOT NULL,
    "subject_id" TEXT NOT NULL,
    "requested_limit" INTEGER NOT NULL,
    "reason" TEXT NOT NULL,
    "person_id" TEXT NOT NULL,
    "status" TEXT NOT NULL DEFAULT 'pending',
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT clock_timestamp(),
    "decided_at" TIMESTAMPTZ(3),
    "granted_limit" INTEGER,
    "decision_reason" TEXT NOT NULL DEFAULT '',

    CONSTRAINT "limit_requests_pkey" PRIMARY KEY ("id")
);

-- CreateIndex
CREATE INDEX "limit_requests_business_id_created_at_idx" ON "limit_requests"("business_id", "created_at");

-- CreateIndex
CREATE INDEX "limit_requests_status_created_at_idx" ON "limit_requests"("status", "created_at");

-- One of a kind can wait.
CREATE UNIQUE INDEX "limit_requests_pending_key" ON "limit_requests"("business_id", "kind") WHERE "status" = 'pending';
