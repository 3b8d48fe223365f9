-- CreateTable
CREATE TABLE "application_suspensions" (
    "application_id" TEXT NOT NULL,
    "cause" TEXT NOT NULL,
    "actor_id" TEXT NOT NULL,
    "reason" TEXT NOT NULL,
    "suspended_at" TIMESTAMPTZ(3) NOT NULL DEFAULT clock_timestamp(),

    CONSTRAINT "application_suspensions_pkey" PRIMARY KEY ("application_id","cause")
);

-- CreateTable
CREATE TABLE "grant_suspensions" (
    "grant_id" TEXT NOT NULL,
    "person_id" TEXT NOT NULL,
    "reason" TEXT NOT NULL,
    "suspended_at" TIMESTAMPTZ(3) NOT NULL DEFAULT clock_timestamp(),

    CONSTRAINT "grant_suspensions_pkey" PRIMARY KEY ("grant_id")
);

-- CreateTable
CREATE TABLE "banned_publishers" (
    "business_id" BIGINT NOT NULL,
    "noted_at" TIMESTAMPTZ(3) NOT NULL DEFAULT clock_timestamp(),

    CONSTRAINT "banned_publishers_pkey" PRIMARY KEY ("business_id")
);

-- AddForeignKey
ALTER TABLE "application_suspensions" ADD CONSTRAINT "application_suspensions_application_id_fkey" FOREIGN KEY ("application_id") REFERENCES "applications"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "grant_suspensions" ADD CONSTRAINT "grant_suspensions_grant_id_fkey" FOREIGN KEY ("grant_id") REFERENCES "grants"("id") ON DELETE CASCADE ON UPDATE CASCADE;
