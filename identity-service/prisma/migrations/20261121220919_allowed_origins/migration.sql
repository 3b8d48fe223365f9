-- AlterTable
ALTER TABLE "applications" ADD COLUMN     "allowed_origins" TEXT[] DEFAULT ARRAY[]::TEXT[];

-- Few applications are called from pages: what gateways ask for is read from these alone.
CREATE INDEX "applications_allowed_origins" ON "applications"("created_at") WHERE "allowed_origins" <> '{}';
