-- CreateTable
CREATE TABLE "leak_policies" (
    "business_id" BIGINT NOT NULL,
    "policy" TEXT NOT NULL,

    CONSTRAINT "leak_policies_pkey" PRIMARY KEY ("business_id")
);
