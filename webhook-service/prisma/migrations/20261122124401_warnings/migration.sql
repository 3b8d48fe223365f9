-- AlterTable
ALTER TABLE "endpoints" ADD COLUMN     "warn_after" TIMESTAMPTZ(3),
ADD COLUMN     "warned_since" TIMESTAMPTZ(3),
ADD COLUMN     "warned_step" INTEGER NOT NULL DEFAULT 0;

-- Written by hand: endpoints that fail are few. Those that were disabled before have been known for some time.
CREATE INDEX "endpoints_failing" ON "endpoints"("id") WHERE "failing_since" IS NOT NULL OR NOT "enabled";

UPDATE "endpoints" SET "warned_step" = 3, "warned_since" = coalesce("failing_since", "disabled_at") WHERE NOT "enabled";
