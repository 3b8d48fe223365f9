DROP INDEX CONCURRENTLY IF EXISTS "orders_business_id_updated_at_number_idx";

CREATE INDEX CONCURRENTLY "orders_business_id_updated_at_number_idx" ON "orders"("business_id", "updated_at", "number");
