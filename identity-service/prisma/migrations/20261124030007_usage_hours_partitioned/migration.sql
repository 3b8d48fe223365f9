-- The table with its rows becomes the first partition of one of its name.
ALTER TABLE "usage_hours" RENAME TO "usage_hours_first";
ALTER INDEX "usage_hours_pkey" RENAME TO "usage_hours_first_pkey";
ALTER INDEX "usage_hours_hour_idx" RENAME TO "usage_hours_first_hour_idx";

CREATE TABLE "usage_hours" (
    LIKE "usage_hours_first" INCLUDING DEFAULTS,
    CONSTRAINT "usage_hours_pkey" PRIMARY KEY ("business_id", "hour", "limit_id")
) PARTITION BY RANGE ("hour");
CREATE INDEX "usage_hours_hour_idx" ON "usage_hours" ("hour");

-- Without rows it ends now; else at the bound that was validated, or later.
DO $$
BEGIN
  EXECUTE format('ALTER TABLE "usage_hours" ATTACH PARTITION "usage_hours_first" FOR VALUES FROM (MINVALUE) TO (%L)',
    (SELECT CASE WHEN max("hour") IS NULL THEN date_trunc('week', now(), 'UTC')
     ELSE greatest(date_trunc('week', now(), 'UTC') + interval '28 days', date_trunc('week', max("hour"), 'UTC') + interval '7 days') END
     FROM "usage_hours_first"));
END
$$;

-- Rows for which there is no other: of a gateway whose clock is ahead, or while no partitions are made.
CREATE TABLE "usage_hours_default" PARTITION OF "usage_hours" DEFAULT;
