-- CreateIndex
CREATE INDEX "refresh_tokens_used_at_idx" ON "refresh_tokens"("used_at");
