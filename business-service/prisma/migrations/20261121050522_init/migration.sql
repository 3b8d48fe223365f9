-- CreateEnum
CREATE TYPE "verification_status" AS ENUM ('unverified', 'pending', 'verified', 'rejected');

-- CreateEnum
CREATE TYPE "order_status" AS ENUM ('pending', 'paid', 'fulfilled', 'cancelled');

-- CreateTable
CREATE TABLE "businesses" (
    "id" SERIAL NOT NULL,
    "unique_id" TEXT NOT NULL,
    "account_holder" TEXT NOT NULL,
    "logo" TEXT NOT NULL,
    "username" TEXT NOT NULL,
    "is_banned" BOOLEAN NOT NULL DEFAULT false,
    "verification_status" "verification_status" NOT NULL DEFAULT 'unverified',
    "legal_name" TEXT,
    "registration_number" TEXT,
    "country" TEXT,
    "submitted_at" TIMESTAMPTZ(3),
    "decided_at" TIMESTAMPTZ(3),
    "rejection_reason" TEXT,
    "created_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "businesses_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "business_counters" (
    "business_id" INTEGER NOT NULL,
    "last_event_sequence" BIGINT NOT NULL DEFAULT 0,
    "last_order_number" BIGINT NOT NULL DEFAULT 1000,

    CONSTRAINT "business_counters_pkey" PRIMARY KEY ("business_id")
);

-- CreateTable
CREATE TABLE "orders" (
    "id" TEXT NOT NULL,
    "business_id" INTEGER NOT NULL,
    "number" BIGINT NOT NULL,
    "status" "order_status" NOT NULL,
    "currency" CHAR(3) NOT NULL,
    "line_items" JSONB NOT NULL,
    "total" BIGINT NOT NULL,
    "customer" JSONB NOT NULL,
    "metadata" JSONB NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "updated_at" TIMESTAMPTZ(3) NOT NULL,
    "paid_at" TIMESTAMPTZ(3),
    "fulfilled_at" TIMESTAMPTZ(3),
    "cancelled_at" TIMESTAMPTZ(3),

    CONSTRAINT "orders_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "events" (
    "business_id" INTEGER NOT NULL,
    "sequence" BIGINT NOT NULL,
    "id" TEXT NOT NULL,
    "type" TEXT NOT NULL,
    "payload" JSON NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "events_pkey" PRIMARY KEY ("business_id","sequence")
);

-- CreateTable
CREATE TABLE "idempotency_keys" (
    "business_id" INTEGER NOT NULL,
    "key" TEXT NOT NULL,
    "fingerprint" TEXT NOT NULL,
    "response" JSON NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "idempotency_keys_pkey" PRIMARY KEY ("business_id","key")
);

-- CreateIndex
CREATE UNIQUE INDEX "businesses_unique_id_key" ON "businesses"("unique_id");

-- CreateIndex
CREATE UNIQUE INDEX "businesses_username_key" ON "businesses"("username");

-- CreateIndex
CREATE INDEX "orders_business_id_status_number_idx" ON "orders"("business_id", "status", "number");

-- CreateIndex
CREATE INDEX "orders_business_id_created_at_idx" ON "orders"("business_id", "created_at");

-- CreateIndex
CREATE UNIQUE INDEX "orders_business_id_number_key" ON "orders"("business_id", "number");

-- CreateIndex
CREATE UNIQUE INDEX "events_id_key" ON "events"("id");

-- CreateIndex
CREATE INDEX "idempotency_keys_created_at_idx" ON "idempotency_keys"("created_at");

-- AddForeignKey
ALTER TABLE "business_counters" ADD CONSTRAINT "business_counters_business_id_fkey" FOREIGN KEY ("business_id") REFERENCES "businesses"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "orders" ADD CONSTRAINT "orders_business_id_fkey" FOREIGN KEY ("business_id") REFERENCES "businesses"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "events" ADD CONSTRAINT "events_business_id_fkey" FOREIGN KEY ("business_id") REFERENCES "businesses"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- Events are append-only: nobody rewrites what a subscriber may have read.
CREATE FUNCTION refuse_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION '% is append-only', TG_TABLE_NAME;
END;
$$;

CREATE TRIGGER events_append_only BEFORE UPDATE OR DELETE ON "events"
  FOR EACH ROW EXECUTE FUNCTION refuse_change();
