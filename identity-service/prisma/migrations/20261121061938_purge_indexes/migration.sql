-- What the janitor looks for, every minute.
CREATE INDEX "refresh_tokens_kept_answers" ON "refresh_tokens"("used_at") WHERE "sealed_answer" IS NOT NULL;
CREATE INDEX "grants_ended" ON "grants"("ended_at") WHERE "ended_at" IS NOT NULL;
