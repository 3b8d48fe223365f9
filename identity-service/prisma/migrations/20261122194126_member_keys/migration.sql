-- AlterTable
ALTER TABLE "api_keys" ADD COLUMN     "created_by" TEXT,
ADD COLUMN     "secret_seen_by" TEXT;

-- CreateTable
CREATE TABLE "member_key_rules" (
    "business_id" BIGINT NOT NULL,
    "secret_keys" BOOLEAN NOT NULL,
    "scopes" TEXT[],

    CONSTRAINT "member_key_rules_pkey" PRIMARY KEY ("business_id")
);

-- Keys from before: the audit log has who created and rotated them.
UPDATE "api_keys" k SET "created_by" = e.actor_id
FROM "audit_events" e
WHERE e.business_id = k.business_id AND e.subject_id = k.id AND e.action = 'api_key.created' AND e.actor_kind = 'person';

UPDATE "api_keys" k SET "secret_seen_by" = e.actor_id
FROM (
  SELECT DISTINCT ON (business_id, subject_id) business_id, subject_id, actor_kind, actor_id
  FROM "audit_events" WHERE action IN ('api_key.created', 'api_key.rotated')
  ORDER BY business_id, subject_id, id DESC
) e
WHERE e.business_id = k.business_id AND e.subject_id = k.id AND e.actor_kind = 'person';
