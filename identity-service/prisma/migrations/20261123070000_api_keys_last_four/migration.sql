DROP INDEX CONCURRENTLY IF EXISTS "api_keys_last_four_idx";
CREATE INDEX CONCURRENTLY "api_keys_last_four_idx" ON "api_keys"("last_four");
