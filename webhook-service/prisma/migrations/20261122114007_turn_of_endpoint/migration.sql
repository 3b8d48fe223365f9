-- AlterTable
ALTER TABLE "endpoints" ADD COLUMN     "turn" TEXT;

-- AlterTable
ALTER TABLE "deliveries" DROP COLUMN "claimed_by";
