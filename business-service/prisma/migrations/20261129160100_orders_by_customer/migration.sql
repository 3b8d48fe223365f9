-- Written by hand: Prisma knows no indexes of expressions. "C" lowers the letters A to Z alone, on every system alike.
DROP INDEX CONCURRENTLY IF EXISTS "orders_customer_email_idx";

CREATE INDEX CONCURRENTLY "orders_customer_email_idx" ON "orders"("business_id", (lower(("customer" ->> 'email') COLLATE "C")));
