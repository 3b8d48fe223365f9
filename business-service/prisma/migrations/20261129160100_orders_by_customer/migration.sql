-- Written by hand: Prisma knows no indexes of expressions.
DROP INDEX CONCURRENTLY IF EXISTS "orders_customer_email_idx";

CREATE INDEX CONCURRENTLY "orders_customer_email_idx" ON "orders"("business_id", (lower(("customer" ->> 'email') COLLATE "C")));
