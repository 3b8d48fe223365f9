-- A Grant outlives its application until it is purged with its tokens, in batches.
ALTER TABLE "grants" ALTER COLUMN "application_id" DROP NOT NULL;
