DROP INDEX CONCURRENTLY IF EXISTS "deliveries_recoverable";
CREATE INDEX CONCURRENTLY "deliveries_recoverable" ON "deliveries"("endpoint_id", "created_at" DESC, "id") WHERE "status" IN ('failed', 'skipped', 'withdrawn');
