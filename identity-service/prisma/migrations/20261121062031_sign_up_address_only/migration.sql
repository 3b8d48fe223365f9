-- AlterTable
ALTER TABLE "sign_ups" DROP COLUMN "account_holder",
DROP COLUMN "name",
DROP COLUMN "password_hash",
DROP COLUMN "username";
