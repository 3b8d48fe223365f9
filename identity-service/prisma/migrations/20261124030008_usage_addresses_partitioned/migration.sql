-- The table with its rows becomes the first partition of one of its name.
ALTER TABLE "usage_addresses" RENAME TO "usage_addresses_first";
ALTER INDEX "usage_addresses_pkey" RENAME TO "usage_addresses_first_pkey";
ALTER INDEX "usage_addresses_hour_idx" RENAME TO "usage_addresses_first_hour_idx";

CREATE TABLE "usage_addresses" (
    LIKE "usage_addresses_first" INCLUDING DEFAULTS,
    CONSTRAINT "usage_addresses_pkey" PRIMARY KEY ("limit_id", "hour", "address")
) PARTITION BY RANGE ("hour");
CREATE INDEX "usage_addresses_hour_idx" ON "usage_addresses" ("hour");

-- Without rows it ends now; else at the bound that was validated, or later.
DO $$
BEGIN
  EXECUTE format('ALTER TABLE "usage_addresses" ATTACH PARTITION "usage_addresses_first" FOR VALUES FROM (MINVALUE) TO (%L)',
    (SELECT CASE WHEN max("hour") IS NULL THEN date_trunc('day', now(), 'UTC')
     ELSE greatest(date_trunc('week', now(), 'UTC') + interval '28 days', date_trunc('week', max("hour"), 'UTC') + interval '7 days') END
     FROM "usage_addresses_first"));
END
$$;

-- Rows for which there is no other: of a gateway whose clock is ahead, or while no partitions are made.
CREATE TABLE "usage_addresses_default" PARTITION OF "usage_addresses" DEFAULT;
