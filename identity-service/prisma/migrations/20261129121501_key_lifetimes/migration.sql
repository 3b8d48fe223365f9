-- CreateTable
CREATE TABLE "key_lifetime_rules" (
    "business_id" BIGINT NOT NULL,
    "max_days" INTEGER,

    CONSTRAINT "key_lifetime_rules_pkey" PRIMARY KEY ("business_id")
);
