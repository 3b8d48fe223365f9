-- Indexes of the partitioned table, on the table that becomes its first partition: it is attached without an index to build.
DROP INDEX CONCURRENTLY IF EXISTS "events_first_business_id_sequence_created_at_key";

CREATE UNIQUE INDEX CONCURRENTLY "events_first_business_id_sequence_created_at_key" ON "events"("business_id", "sequence", "created_at");

DROP INDEX CONCURRENTLY IF EXISTS "events_first_business_id_id_idx";

CREATE INDEX CONCURRENTLY "events_first_business_id_id_idx" ON "events"("business_id", "id");
