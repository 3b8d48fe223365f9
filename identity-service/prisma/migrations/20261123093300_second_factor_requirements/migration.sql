-- CreateTable
CREATE TABLE "second_factor_requirements" (
    "business_id" BIGINT NOT NULL,
    "required_at" TIMESTAMPTZ(3) NOT NULL DEFAULT clock_timestamp(),
    "person_id" TEXT NOT NULL,

    CONSTRAINT "second_factor_requirements_pkey" PRIMARY KEY ("business_id")
);
