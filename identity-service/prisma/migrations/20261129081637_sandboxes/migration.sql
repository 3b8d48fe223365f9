-- CreateTable
CREATE TABLE "sandboxes" (
    "business_id" BIGINT NOT NULL,
    "person_id" TEXT NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT clock_timestamp(),
    "warned_at" TIMESTAMPTZ(3),
    "orders_due" INTEGER NOT NULL DEFAULT 0,
    "next_order_at" TIMESTAMPTZ(3),
    "ended_at" TIMESTAMPTZ(3),
    "cleared_at" TIMESTAMPTZ(3),

    CONSTRAINT "sandboxes_pkey" PRIMARY KEY ("business_id")
);

-- CreateIndex
CREATE INDEX "sandboxes_person_id_idx" ON "sandboxes"("person_id");
