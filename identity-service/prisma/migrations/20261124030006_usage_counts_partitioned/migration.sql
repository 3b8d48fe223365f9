-- The table with its rows becomes the first partition of one of its name.
ALTER TABLE "usage_counts" RENAME TO "usage_counts_first";
ALTER INDEX "usage_counts_pkey" RENAME TO "usage_counts_first_pkey";
ALTER INDEX "usage_counts_minute_idx" RENAME TO "usage_counts_first_minute_idx";
ALTER INDEX "usage_counts_business_id_minute_idx" RENAME TO "usage_counts_first_business_id_minute_idx";

CREATE TABLE "usage_counts" (
    LIKE "usage_counts_first" INCLUDING DEFAULTS,
    CONSTRAINT "usage_counts_pkey" PRIMARY KEY ("credential_id", "minute")
) PARTITION BY RANGE ("minute");
CREATE INDEX "usage_counts_minute_idx" ON "usage_counts" ("minute");
CREATE INDEX "usage_counts_business_id_minute_idx" ON "usage_counts" ("business_id", "minute");

-- Without rows it ends now; else at the bound that was validated, or later.
DO $$
BEGIN
  EXECUTE format('ALTER TABLE "usage_counts" ATTACH PARTITION "usage_counts_first" FOR VALUES FROM (MINVALUE) TO (%L)',
    (SELECT CASE WHEN max("minute") IS NULL THEN date_trunc('week', now(), 'UTC')
     ELSE greatest(date_trunc('week', now(), 'UTC') + interval '28 days', date_trunc('week', max("minute"), 'UTC') + interval '7 days') END
     FROM "usage_counts_first"));
END
$$;

-- Rows for which there is no other: of a gateway whose clock is ahead, or while no partitions are made.
CREATE TABLE "usage_counts_default" PARTITION OF "usage_counts" DEFAULT;
