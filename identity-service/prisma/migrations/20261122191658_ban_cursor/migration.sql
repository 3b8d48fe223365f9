-- CreateTable
CREATE TABLE "ban_cursors" (
    "id" INTEGER NOT NULL,
    "sequence" BIGINT NOT NULL,

    CONSTRAINT "ban_cursors_pkey" PRIMARY KEY ("id")
);
