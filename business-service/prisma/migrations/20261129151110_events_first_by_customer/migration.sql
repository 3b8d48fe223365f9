-- Written by hand: Prisma knows no indexes of expressions. The address of the customer, and what the event is about where it has none. "C"
-- lowers the letters A to Z alone, on every system alike.
DROP INDEX CONCURRENTLY IF EXISTS "events_first_customer_idx";

CREATE INDEX CONCURRENTLY "events_first_customer_idx" ON "events"("business_id",
  (coalesce(lower(("payload" #>> '{customer,email}') COLLATE "C"), "payload" ->> 'id')));
