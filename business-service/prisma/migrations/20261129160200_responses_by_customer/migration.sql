-- Written by hand, as the index of events.
DROP INDEX CONCURRENTLY IF EXISTS "idempotency_keys_customer_idx";

CREATE INDEX CONCURRENTLY "idempotency_keys_customer_idx" ON "idempotency_keys"("business_id",
  (coalesce(lower(("response" #>> '{customer,email}') COLLATE "C"), "response" ->> 'id')));
