-- CreateIndex
CREATE INDEX "businesses_verification_status_submitted_at_idx" ON "businesses"("verification_status", "submitted_at");
