-- AlterTable
ALTER TABLE "deliveries" ADD COLUMN     "recovery_id" TEXT;

-- CreateTable
CREATE TABLE "recoveries" (
    "id" TEXT NOT NULL,
    "endpoint_id" TEXT NOT NULL,
    "since" TIMESTAMPTZ(3) NOT NULL,
    "total" INTEGER NOT NULL,
    "requeued" INTEGER NOT NULL DEFAULT 0,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT clock_timestamp(),

    CONSTRAINT "recoveries_pkey" PRIMARY KEY ("id")
);

-- CreateIndex
CREATE INDEX "recoveries_endpoint_id_created_at_idx" ON "recoveries"("endpoint_id", "created_at" DESC);

-- AddForeignKey
ALTER TABLE "recoveries" ADD CONSTRAINT "recoveries_endpoint_id_fkey" FOREIGN KEY ("endpoint_id") REFERENCES "endpoints"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- Written by hand: what a recovery has still to send. It becomes empty.
CREATE INDEX "deliveries_unsent" ON "deliveries"("recovery_id") WHERE "recovery_id" IS NOT NULL AND "status" = 'pending' AND "round" = 0;
