-- CreateTable
CREATE TABLE "webhook_warnings" (
    "endpoint_id" TEXT NOT NULL,
    "since" TIMESTAMPTZ(3) NOT NULL,
    "step" TEXT NOT NULL,
    "person_id" TEXT NOT NULL,
    "tries" INTEGER NOT NULL DEFAULT 0,
    "next_try_at" TIMESTAMPTZ(3) NOT NULL DEFAULT clock_timestamp(),
    "sent_at" TIMESTAMPTZ(3),
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT clock_timestamp(),

    CONSTRAINT "webhook_warnings_pkey" PRIMARY KEY ("endpoint_id","since","step","person_id")
);

-- CreateIndex
CREATE INDEX "webhook_warnings_created_at_idx" ON "webhook_warnings"("created_at");
