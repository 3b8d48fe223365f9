-- Written by hand, as the index of events: the address of the customer, and the order where it has none.
DROP INDEX CONCURRENTLY IF EXISTS "idempotency_keys_customer_idx";

CREATE INDEX CONCURRENTLY "idempotency_keys_customer_idx" ON "idempotency_keys"("business_id",
  (coalesce(lower(("response" #>> '{customer,email}') COLLATE "C"), "response" ->> 'id')));
