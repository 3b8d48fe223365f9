-- CreateTable
CREATE TABLE "erased_events" (
    "id" BIGSERIAL NOT NULL,
    "business_id" INTEGER NOT NULL,
    "event_id" TEXT NOT NULL,

    CONSTRAINT "erased_events_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "copy_holders" (
    "name" TEXT NOT NULL,

    CONSTRAINT "copy_holders_pkey" PRIMARY KEY ("name")
);

-- CreateIndex
CREATE INDEX "erased_events_business_id_idx" ON "erased_events"("business_id");
