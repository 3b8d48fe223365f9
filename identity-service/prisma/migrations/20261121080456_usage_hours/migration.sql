-- CreateTable
CREATE TABLE "usage_hours" (
    "business_id" BIGINT NOT NULL,
    "hour" TIMESTAMPTZ(0) NOT NULL,
    "limit_id" TEXT NOT NULL,
    "count_2xx" BIGINT NOT NULL,
    "count_4xx" BIGINT NOT NULL,
    "count_429" BIGINT NOT NULL,
    "count_5xx" BIGINT NOT NULL,

    CONSTRAINT "usage_hours_pkey" PRIMARY KEY ("business_id","hour","limit_id")
);

-- CreateIndex
CREATE INDEX "usage_hours_hour_idx" ON "usage_hours"("hour");

-- What was counted before limit ids were: an API key is its own, the Grant of a token is not known any more.
UPDATE "usage_counts" SET "limit_id" = "credential_id" WHERE "limit_id" = '' AND "credential_type" <> 'access_token';

INSERT INTO "usage_hours" ("business_id", "hour", "limit_id", "count_2xx", "count_4xx", "count_429", "count_5xx")
SELECT "business_id", date_trunc('hour', "minute", 'UTC'), "limit_id", sum("count_2xx"), sum("count_4xx"),
       sum("count_429"), sum("count_5xx")
FROM "usage_counts" GROUP BY 1, 2, 3;
