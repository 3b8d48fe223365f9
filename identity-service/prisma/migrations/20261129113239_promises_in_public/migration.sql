-- CreateTable
CREATE TABLE "revocation_days" (
    "business_id" BIGINT NOT NULL,
    "day" DATE NOT NULL,
    "revocations" INTEGER NOT NULL,
    "pending" INTEGER NOT NULL,
    "slowest_ms" INTEGER,

    CONSTRAINT "revocation_days_pkey" PRIMARY KEY ("business_id","day")
);

-- CreateTable
CREATE TABLE "promise_days" (
    "day" DATE NOT NULL,
    "promise" TEXT NOT NULL,
    "checks" INTEGER NOT NULL,
    "violations" INTEGER NOT NULL,
    "times" INTEGER[],
    "slowest_ms" INTEGER,
    "highest_percent" INTEGER,
    "last_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "promise_days_pkey" PRIMARY KEY ("day","promise")
);

-- CreateTable
CREATE TABLE "promise_violations" (
    "id" BIGSERIAL NOT NULL,
    "at" TIMESTAMPTZ(3) NOT NULL,
    "promise" TEXT NOT NULL,
    "gateway" TEXT NOT NULL,
    "request_id" TEXT NOT NULL,
    "what" TEXT NOT NULL,

    CONSTRAINT "promise_violations_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "canary_checks" (
    "id" UUID NOT NULL,
    "at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "canary_checks_pkey" PRIMARY KEY ("id")
);

-- CreateIndex
CREATE INDEX "revocation_days_day_idx" ON "revocation_days"("day");

-- CreateIndex
CREATE INDEX "promise_violations_at_idx" ON "promise_violations"("at");

-- CreateIndex
CREATE INDEX "canary_checks_at_idx" ON "canary_checks"("at");
