-- CreateTable
CREATE TABLE "four_eyes" (
    "id" INTEGER NOT NULL,
    "is_on" BOOLEAN NOT NULL,
    "off_asked_by" TEXT,
    "off_asked_at" TIMESTAMPTZ(3),

    CONSTRAINT "four_eyes_pkey" PRIMARY KEY ("id")
);
